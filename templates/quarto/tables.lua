-- Tables of Word have a rule above and below: Pandoc, which can tell a table its style since 3.5, marks no last row.
-- A table that holds another, or a picture, is Quarto's place for these.
function Table(t)
  local is_place = false
  local function found() is_place = true end
  t:walk { Table = found, Image = found }
  if FORMAT ~= "docx" or is_place then return nil end
  t.attr.attributes["custom-style"] = "Ruled"
  return t
end
