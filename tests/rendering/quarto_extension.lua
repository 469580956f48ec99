-- Calls a shortcode extension as Quarto's documentation says: in block context where a shortcode is
-- all of a paragraph, else inline; with words, key=value pairs, metadata, and raw words.
-- Shortcodes of a document come here as raw text of the format "shortcode".

local env = {}
for key, value in pairs(_G) do env[key] = value end
env.FORMAT = os.getenv("RG_FORMAT") -- the document is read as a tree, which a test looks at
env.quarto = {
  doc = { input_file = os.getenv("RG_INPUT") },
  project = { directory = os.getenv("RG_PROJECT") },
  FloatRefTarget = os.getenv("RG_FLOATS") and function(float)
    assert(float.type == "Table" or float.type == "Figure")
    return pandoc.Div({ float.content, pandoc.Para(float.caption_long.content) },
      pandoc.Attr(float.identifier, float.classes, float.attributes))
  end or nil,
}
local handlers = assert(loadfile(os.getenv("RG_EXTENSION"), "bt", env))()

local function words_of(text)
  local words, place = {}, 1
  while true do
    local first, last, key = text:find("^%s*([%w_-]+)%s*=%s*", place)
    if not first then
      _, last, key = text:find("^%s*", place)
    end
    place = last + 1
    if place > #text then return words end
    local quote = text:sub(place, place)
    local value
    if quote == '"' or quote == "'" then
      local stop = assert(text:find(quote, place + 1, true), "no end of " .. text)
      value, place = text:sub(place + 1, stop - 1), stop + 1
    else
      _, place, value = text:find("^(%S+)", place)
      place = place + 1
    end
    words[#words + 1] = { name = key, value = value }
  end
end

-- Quarto's astshortcode.lua looks at metadata that Pandoc has read: `key=value` is one word there, and
-- has its key only where Pandoc parts it from the value, before a quotation.
local function words_of_metadata(text)
  local words, key, place = {}, nil, 1
  while place <= #text do
    local _, last, word, quote = text:find("^%s*([^%s\"]*)(\"?)", place)
    place = last + 1
    if word:sub(-1) == "=" then
      key = word:sub(1, -2)
    elseif word ~= "" then
      words[#words + 1], key = { name = key, value = word }, nil
    end
    if quote ~= "" then
      local stop = assert(text:find(quote, place, true), "no end of " .. text)
      words[#words + 1], key = { name = key, value = text:sub(place, stop - 1) }, nil
      place = stop + 1
    end
  end
  return words
end

local function call(raw, meta, context, read)
  local text = assert(raw.text:match("^{{<%s*(.-)%s*>}}$"), raw.text)
  local words = (read or words_of)(text)
  local name = table.remove(words, 1).value
  local args, raw_args = pandoc.List({}), pandoc.List({})
  local kwargs = setmetatable({}, { __index = function() return pandoc.Inlines({}) end })
  for _, word in ipairs(words) do
    if word.name then kwargs[word.name] = word.value else args:insert(word.value) end
    raw_args:insert(word.value)
  end
  local own = setmetatable({}, { __index = function(_, key) return meta[key] end })
  return handlers[name](args, kwargs, own, raw_args, context)
end

local function is_shortcode(node)
  return node.t == "RawInline" and node.format == "shortcode"
end

function Pandoc(doc)
  local function block(node)
    if #node.content == 1 and is_shortcode(node.content[1]) then
      local found = call(node.content[1], doc.meta, "block")
      local kind = pandoc.utils.type(found)
      assert(kind == "Blocks" or kind == "Inlines", kind)
      return kind == "Blocks" and found or pandoc.Blocks({ pandoc.Para(found) })
    end
  end
  local function inline(node)
    if is_shortcode(node) then
      local found = call(node, doc.meta, "inline")
      if pandoc.utils.type(found) == "Blocks" then
        return pandoc.utils.blocks_to_inlines(found, { pandoc.Space() })
      end
      assert(pandoc.utils.type(found) == "Inlines")
      return found
    end
  end
  for _, key in ipairs({ "abstract", "subtitle" }) do
    doc.meta[key] = doc.meta[key] and doc.meta[key]:walk({
      RawInline = function(node)
        return is_shortcode(node) and call(node, doc.meta, "inline", words_of_metadata) or nil
      end,
    })
  end
  doc = doc:walk({ Para = block, Plain = block })
  doc = doc:walk({ RawInline = inline })
  local media = os.getenv("RG_MEDIA")
  if not media then return doc end
  return doc:walk({ -- Quarto writes these files, too, but for Word, which takes them by itself
    Image = function(image)
      local _, content = pandoc.mediabag.lookup(image.src)
      if content then
        pandoc.system.make_directory(media, true)
        image.src = media .. "/" .. image.src
        local file = assert(io.open(image.src, "wb"))
        file:write(content)
        file:close()
        return image
      end
    end,
  })
end
