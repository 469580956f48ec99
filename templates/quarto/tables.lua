-- Quarto puts each figure and table of Word into a table of one cell, out of which programs part captions and rows.
-- They stand without it: a caption on the page of its table, a picture on that of its caption.
-- Tables have a rule above and below: Pandoc, which can tell a table its style since 3.5, marks no last row.
local SHORT = 16 -- rows that stand on one page

local function styled(block, style)
  return pandoc.Div({ block }, pandoc.Attr("", {}, { ["custom-style"] = style }))
end

local function is_raw(inline)
  return inline and inline.t == "RawInline" and inline.format == "openxml"
end

-- The block that is all of a table of one cell.
local function placed(t)
  local rows = #t.head.rows == 0 and #t.bodies == 1 and t.bodies[1].body or {}
  local cells = #rows == 1 and rows[1].cells or {}
  local block = #cells == 1 and #cells[1].contents == 1 and cells[1].contents[1]
  return block and block.t == "Div" and block.identifier:match("^%a+%-") and block
end

local function kept(place)
  local blocks = place.content
  for n, block in ipairs(blocks) do
    if block.t == "Para" or block.t == "Plain" then
      local is_caption = is_raw(block.content[1]) -- whose style Quarto writes so
      if is_caption then block.content:remove(1) end
      local own = n < #blocks and "Table Caption" or "Image Caption"
      blocks[n] = styled(block, is_caption and own or "Captioned Figure")
    end
  end
  return place
end

-- Rows that keep with the next; Pandoc gives each Plain of a table a style of its own.
local function together(rows)
  return rows:map(function(row)
    row.cells = row.cells:map(function(cell)
      cell.contents = cell.contents:map(function(block)
        return block.t == "Plain" and styled(pandoc.Para(block.content), "Compact Kept") or block
      end)
      return cell
    end)
    return row
  end)
end

function Table(t)
  if FORMAT ~= "docx" then return nil end
  local place = placed(t)
  if place then return kept(place) end
  local n = #t.head.rows
  for _, body in ipairs(t.bodies) do n = n + #body.body end
  if n <= SHORT then
    t.head.rows = together(t.head.rows)
    t.bodies = t.bodies:map(function(body)
      body.body = together(body.body)
      return body
    end)
  end
  t.attr.attributes["custom-style"] = "Ruled"
  return t
end
