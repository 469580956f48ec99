-- Figures and tables of a supplement in HTML and Word: "Figure S" and its number are one word.
local S = "S\u{2060}"
local NBSP = "\u{a0}"

function Inlines(inlines)
  local found = pandoc.List()
  for _, inline in ipairs(inlines) do
    if inline.t == "Str" then inline.text = inline.text:gsub(S .. NBSP, S) end
    local before = found[#found]
    local is_open = before and before.t == "Str" and before.text:sub(-#S) == S
    if is_open and inline.t == "Str" and inline.text:sub(1, #NBSP) == NBSP then
      local rest = inline.text:sub(#NBSP + 1)
      if rest ~= "" then found:insert(pandoc.Str(rest)) end
    elseif not (is_open and inline.t == "Space") then
      found:insert(inline)
    end
  end
  return found
end
