-- Shortcodes that put results of a run of reportgen into a document:
--
--   {{< rg number monks3.svm.mean >}}    a number, written as the report writes it
--   {{< rg verdict svm rpart >}}         what is decided of two candidates; without them, of all
--   {{< rg abstract >}}                  the question and what came out
--   {{< rg table pairs >}}               a table, to which @tbl-pairs refers
--   {{< rg figure pairs >}}              a figure, to which @fig-pairs refers
--   {{< rg caption figure pairs >}}      the caption alone
--
-- The run is the folder that `reportgen: {results: …}` of the document or its project names, or
-- `results=` of a shortcode. What it holds may be anybody's: every text is set as the letters that
-- it is, only pictures of the run's own folder are shown, and nothing is run.

local VERSION = 1 -- of manuscript.json, up to which this can read it
local FILE = "manuscript.json"
local MOST = 2 ^ 26 -- bytes of a file
local NEAR = 5 -- names that an error tells
local WRITTEN = "it is written by: reportgen report %s --format qmd"

local ENDINGS = { latex = "pdf", beamer = "pdf", html = "svg", revealjs = "svg", epub = "svg",
  typst = "svg" } -- others: png
local TYPES = { pdf = "application/pdf", svg = "image/svg+xml", png = "image/png" }
local SIGNS = { pdf = "^%%PDF%-", svg = "^%s*<[%?!s]", png = "^\137PNG\r\n" }
local OPTIONS = {
  number = {},
  verdict = { "measure", "dataset" },
  abstract = {},
  table = { "section", "measure", "dataset", "label", "caption" },
  figure = { "section", "measure", "dataset", "label", "caption", "width" },
  caption = { "section", "measure", "dataset" },
}
OPTIONS.sentence = OPTIONS.verdict
local PREFIXES = { table = "tbl", figure = "fig" }
local TYPE_NAMES = { table = "Table", figure = "Figure" }

-- Commands of mathematics that may be set: letters and accents.
local LETTERS = {}
for name in ([[alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi
  rho sigma tau upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
  bar hat tilde frac sqrt sum prod le ge leq geq ne neq in cdot times pm mid ldots dots mathrm
  mathbf mathit text left right quad min max log exp Pr infty approx sim]]):gmatch("%S+") do
  LETTERS[name] = true
end

local function stop(message, ...)
  error("reportgen: " .. message:format(...), 0)
end

local function text_of(value)
  if type(value) == "string" then return value end
  if value == nil then return "" end
  return pandoc.utils.stringify(value)
end

-- A value of JSON as a table or a text, whatever is there.
local function as_list(value)
  return type(value) == "table" and value or {}
end

local function as_text(value)
  return type(value) == "string" and value or ""
end

local function shown(text)
  return "'" .. text:gsub("%c", " "):sub(1, 80) .. "'"
end

-- ------------------------------------------------------------------------------- near names

local function distance(a, b)
  local before = {}
  for j = 0, #b do before[j] = j end
  for i = 1, #a do
    local now = { [0] = i }
    for j = 1, #b do
      local step = a:byte(i) == b:byte(j) and 0 or 1
      now[j] = math.min(before[j] + 1, now[j - 1] + 1, before[j - 1] + step)
    end
    before = now
  end
  return before[#b]
end

-- The names that are most like one, told as the end of a message.
local function near(name, names)
  local found, is_met = {}, {}
  for _, other in ipairs(names) do
    if not is_met[other] then
      is_met[other] = true
      local apart = distance(name:lower():sub(1, 60), other:lower():sub(1, 60))
      if other:find(name, 1, true) then apart = math.min(apart, 2) end
      found[#found + 1] = { apart, other }
    end
  end
  table.sort(found, function(a, b)
    if a[1] ~= b[1] then return a[1] < b[1] end
    return a[2] < b[2]
  end)
  local told = {}
  for i = 1, math.min(NEAR, #found) do told[i] = found[i][2] end
  if #told == 0 then return "there is none" end
  local rest = #found - #told
  return (rest > 0 and "near: " or "allowed: ") .. table.concat(told, ", ")
    .. (rest > 0 and (" (and %d more)"):format(rest) or "")
end

local function keys_of(tree)
  local found = {}
  for key in pairs(tree) do
    if type(key) == "string" then found[#found + 1] = key end
  end
  table.sort(found)
  return found
end

-- ------------------------------------------------------------------------------- the run

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local content = file:read(MOST) -- nothing of a folder
  file:close()
  if content and #content == MOST then stop("%s: found more than 64 MB; allowed less", path) end
  return content
end

local function is_absolute(path)
  return path:find("^/") ~= nil or path:find("^%a:[/\\]") ~= nil
end

local function folder_of(path)
  return (path:gsub("\\", "/"):match("^(.*)/[^/]*$")) or "."
end

-- A path without `.` and `..` in it.
local function straight(path)
  local parts, is_rooted = {}, path:find("^/") ~= nil
  for part in path:gsub("\\", "/"):gmatch("[^/]+") do
    if part == ".." and #parts > 0 and parts[#parts] ~= ".." then
      parts[#parts] = nil
    elseif part ~= "." then
      parts[#parts + 1] = part
    end
  end
  return (is_rooted and "/" or "") .. table.concat(parts, "/")
end

local function document_folder()
  local file = quarto and quarto.doc and quarto.doc.input_file
  return type(file) == "string" and folder_of(file) or "."
end

-- The folder of the project that the document is in; nil where there is none.
local function project_folder()
  local folder = quarto and quarto.project and quarto.project.directory
  if type(folder) ~= "string" then return nil end
  if read(folder .. "/_quarto.yml") or read(folder .. "/_quarto.yaml") then return folder end
  return nil
end

-- Where a path may lead: from the document, from its project.
local function places(path)
  local project = project_folder()
  local found = {}
  if is_absolute(path) then
    if project and path:sub(1, 1) == "/" then found[1] = project .. path end
    found[#found + 1] = path
  else
    found[1] = document_folder() .. "/" .. path
    if project then
      found[2] = project .. "/" .. path
      -- A book in one file is one document at its root, also for chapters in folders.
      found[3] = project .. "/" .. path:gsub("^[%./\\]*%.%.[/\\]", "")
    end
  end
  return found
end

local function named_run(kwargs, meta)
  local given = text_of(kwargs.results)
  if given ~= "" then return given end
  local own = meta and meta.reportgen
  if type(own) == "table" and own.results ~= nil then return text_of(own.results) end
  local whole = own ~= nil and text_of(own) or ""
  if whole == "" then
    stop("found no results; allowed 'reportgen: {results: FOLDER}' in the document's head or in "
      .. "_quarto.yml, or results=FOLDER")
  end
  return whole
end

local runs = {}

local function open_run(kwargs, meta)
  local given = named_run(kwargs, meta)
  if runs[given] then return runs[given] end
  local path = given:gsub("[/\\]+$", ""):gsub("/?results%.json$", ""):gsub("/?manuscript%.json$", "")
  -- Quarto reads metadata as Markdown, in which two hyphens are one dash.
  local spellings = { path, (path:gsub("–", "--"):gsub("—", "---"):gsub("’", "'")) }
  local has_results = nil
  for _, spelling in ipairs(spellings) do
    for _, place in ipairs(places(spelling == "" and "." or spelling)) do
      for _, folder in ipairs({ place .. "/quarto", place }) do
        local content = read(folder .. "/" .. FILE)
        if content then
          local is_read, data = pcall(pandoc.json.decode, content, false)
          if not is_read or type(data) ~= "table" or type(data.schema_version) ~= "number" then
            stop("%s: found no %s of reportgen", folder, FILE)
          end
          if data.schema_version > VERSION then
            stop("%s: found %s of a newer reportgen; allowed with its own extension, which is "
              .. "written by: reportgen quarto-extension .", folder, FILE)
          end
          local results = read(folder .. "/../results.json")
          local digest = as_text(data.results_sha1)
          if results and digest ~= "" and pandoc.utils.sha1(results) ~= digest then
            stop("%s: found other results in results.json than in %s; " .. WRITTEN, place, FILE, place)
          end
          runs[given] = { folder = folder, data = data, name = given }
          return runs[given]
        end
      end
      if read(place .. "/results.json") then has_results = has_results or place end
    end
  end
  if has_results then
    stop("%s: found results.json, and no quarto/%s, which has its texts; " .. WRITTEN,
      given, FILE, straight(has_results))
  end
  stop("found no run at %s; allowed the folder that has its results.json", shown(given))
end

-- ------------------------------------------------------------------------------- text

local function put_words(found, text)
  text = text:gsub("[%z\1-\8\11-\31\127]", "")
  local place = 1
  while place <= #text do
    local first, last = text:find("[ \t\n]+", place)
    if first == place then
      found:insert(pandoc.Space())
      place = last + 1
    else
      local stop_at = first and first - 1 or #text
      found:insert(pandoc.Str(text:sub(place, stop_at)))
      place = stop_at + 1
    end
  end
end

local function words(text)
  local found = pandoc.Inlines({})
  put_words(found, text)
  return found
end

-- Whether mathematics has letters, signs and known commands only.
local function is_plain_formula(text)
  if text:find("[%%#&~%c]") or text:find("\\[^%a]") or text:find("\\$") or text:find("{{<", 1, true) then
    return false
  end
  for name in text:gmatch("\\(%a+)") do
    if not LETTERS[name] then return false end
  end
  return true
end

-- A list of pieces, each a kind and its letters, as inlines.
local function inlines(pieces)
  local found = pandoc.Inlines({})
  for _, piece in ipairs(as_list(pieces)) do
    local kind, text = as_text(as_list(piece)[1]), as_text(as_list(piece)[2])
    if kind == "emph" then
      found:insert(pandoc.Emph(words(text)))
    elseif kind == "strong" then
      found:insert(pandoc.Strong(words(text)))
    elseif kind == "code" and not text:find("{{", 1, true) then -- Quarto looks for shortcodes there
      found:insert(pandoc.Code(text))
    elseif kind == "math" and is_plain_formula(text) then
      found:insert(pandoc.Math("InlineMath", text))
    else
      put_words(found, text)
    end
  end
  return found
end

-- The value of an attribute, in which Quarto finds no shortcode.
local function value_of(text)
  return (text:gsub("{{", "{\u{2060}{"):gsub("}}", "}\u{2060}}"):gsub("%c", " "))
end

-- ------------------------------------------------------------------------------- numbers

-- The name under which keys have what a study calls otherwise.
local function key_name(data, name)
  local own = as_list(data.names)[name]
  return type(own) == "string" and own or name
end

-- Follow a key through the numbers; return a text, or the place and the part that is not there.
local function follow(tree, parts)
  local here, met = tree, {}
  for _, part in ipairs(parts) do
    local inner = type(here) == "table" and rawget(here, part) or nil
    if inner == nil then return nil, here, part, table.concat(met, ".") end
    here = inner
    met[#met + 1] = part
  end
  if type(here) == "string" then return here end
  return nil, here, "", table.concat(met, ".")
end

-- A key with the main measure, which it may leave out.
local function with_main(data, parts)
  local at = parts[1] == "exact" and 3 or 2
  local found = { table.unpack(parts) }
  table.insert(found, at, as_text(data.main_measure))
  return found
end

local function number(data, key)
  local parts = {}
  for part in key:gmatch("[^.]+") do parts[#parts + 1] = part end
  local numbers = as_list(data.numbers)
  local found, here, part, before = follow(numbers, parts)
  if found then return found end
  local short, short_here, short_part, short_before = follow(numbers, with_main(data, parts))
  if short then return short end
  local is_short = #parts == (parts[1] == "exact" and 4 or 3) or short_part == ""
  if is_short and #short_before > #before then
    here, part, before = short_here, short_part, short_before
  end
  local names = type(here) == "table" and keys_of(here) or {}
  if before == "" then
    stop("found no number %s, as there is no %s; %s", shown(key), shown(part), near(part, names))
  end
  stop("found no number %s: %s has no %s; %s", shown(key), before,
    part == "" and "number of its own" or shown(part), near(part, names))
end

local function chosen_dataset(data, given)
  if given ~= "" then return key_name(data, given) end
  local numbers = as_list(data.numbers)
  local names = {}
  for _, name in ipairs(keys_of(numbers)) do
    if name == "domain" then return name end
    if name ~= "exact" and name ~= "study" then names[#names + 1] = name end
  end
  if #names == 1 then return names[1] end
  stop("found %d data sets and none chosen; allowed dataset= one of %s", #names,
    table.concat(names, ", "))
end

local function paragraphs(data, name)
  local found = {}
  for _, pieces in ipairs(as_list(as_list(data.texts)[name])) do found[#found + 1] = inlines(pieces) end
  if #found == 0 then stop("found no %s in these results", name) end
  return found
end

local function verdict(data, args, options)
  if #args == 0 then
    local found = pandoc.Inlines({})
    for i, own in ipairs(paragraphs(data, "verdict")) do
      if i > 1 then found:insert(pandoc.Space()) end
      found:extend(own)
    end
    return found
  end
  if #args ~= 2 then stop("verdict: found %d names; allowed two candidates, or none", #args) end
  local dataset = chosen_dataset(data, options.dataset)
  local measure = options.measure ~= "" and key_name(data, options.measure) or as_text(data.main_measure)
  local of_measure = as_list(as_list(as_list(data.numbers)[dataset])[measure])
  if next(of_measure) == nil then number(data, dataset .. "." .. measure) end
  local known = {}
  for _, key in ipairs(keys_of(of_measure)) do
    local first, second = key:match("^(.+)%-vs%-(.+)$")
    if first then
      known[#known + 1] = key
    end
  end
  local key = key_name(data, args[1]) .. "-vs-" .. key_name(data, args[2])
  local own = rawget(of_measure, key)
  if type(own) ~= "table" then
    stop("found no verdict on %s on %s of %s; %s", key, measure, dataset, near(key, known))
  end
  local sentence = as_text(own.sentence)
  if sentence == "" then
    stop("found no sentence on %s: with so many pairs numbers have them alone, such as %s.%s.%s.estimate",
      key, dataset, measure, key)
  end
  return words(sentence)
end

-- ------------------------------------------------------------------------------- tables, figures

local function is_called(data, own, given)
  return given == "" or own == given or key_name(data, own) == given
end

-- The first that fits, in the order of the sections: as `study.table` and `study.figure` choose.
local function find(data, kind, name, options)
  local all = as_list(data[kind .. "s"])
  local named, names = {}, {}
  for _, own in ipairs(all) do
    own = as_list(own)
    local stem, section, short = as_text(own.stem), as_text(own.section), as_text(own.name)
    if stem == name then return own end
    if short == name or section .. "-" .. short == name then named[#named + 1] = own end
    names[#names + 1] = short
    names[#names + 1] = stem
  end
  if #named == 0 then stop("found no %s %s; %s", kind, shown(name), near(name, names)) end
  local fitting, told = {}, {}
  for _, own in ipairs(named) do
    local section, measure, dataset = as_text(own.section), as_text(own.measure), as_text(own.dataset)
    if is_called(data, measure, options.measure) and is_called(data, dataset, options.dataset)
      and (options.section == "" or options.section == section) then
      fitting[#fitting + 1] = own
    end
    if #told < NEAR then
      told[#told + 1] = ("%s on %s"):format(measure == "" and "all measures" or measure,
        dataset == "" and "all data sets" or dataset)
    end
  end
  if #fitting == 0 then
    stop("found no %s %s of that measure, data set and section; allowed %s", kind, shown(name),
      table.concat(told, ", "))
  end
  local first, datasets, is_met = nil, {}, {}
  for _, own in ipairs(fitting) do
    if own.section == fitting[1].section then
      local dataset = as_text(own.dataset)
      if dataset == "" then return own end
      first = first or own
      if not is_met[dataset] then
        is_met[dataset] = true
        datasets[#datasets + 1] = dataset
      end
    end
  end
  if #datasets > 1 then
    stop("found the %s %s on %d data sets and none chosen; allowed dataset= one of %s", kind,
      shown(name), #datasets, table.concat(datasets, ", "))
  end
  return first
end

local function row(cells, n)
  local found = {}
  for i = 1, n do found[i] = pandoc.Cell({ pandoc.Plain(inlines(as_list(cells)[i])) }) end
  return pandoc.Row(found)
end

local function table_of(own)
  local heads, left, widths = as_list(own.heads), as_list(own.left), as_list(own.widths)
  local columns, has_heads = {}, false
  for i = 1, #heads do
    local width = type(widths[i]) == "number" and widths[i] or nil
    columns[i] = { left[i] == true and "AlignLeft" or "AlignRight", width }
    has_heads = has_heads or #as_list(heads[i]) > 0
  end
  local rows = {}
  for i, cells in ipairs(as_list(own.rows)) do rows[i] = row(cells, #heads) end
  local head = pandoc.TableHead(has_heads and { row(heads, #heads) } or {})
  local body = { attr = pandoc.Attr(), head = {}, body = rows, row_head_columns = 0 }
  return pandoc.Table({ long = {}, short = nil }, columns, head, { body }, pandoc.TableFoot({}))
end

local function ending()
  local form = FORMAT or "html"
  for name, found in pairs(ENDINGS) do
    if form:find(name, 1, true) then return found end
  end
  return "png"
end

-- Whether a drawing shows what is in it alone: no program, no file of another place.
local function is_closed(svg)
  local low = svg:lower()
  if low:find("<script", 1, true) or low:find("<!entity", 1, true)
    or low:find("<foreignobject", 1, true) or low:find("@import", 1, true) then
    return false
  end
  for target in low:gmatch("href%s*=%s*[\"']([^\"']*)") do
    if not target:find("^#") and not target:find("^data:image/png") and not target:find("^https?://") then
      return false
    end
  end
  return not low:find("<image[^>]*href%s*=%s*[\"']https?:") and not low:find("url%(%s*[\"']?[^#\"'%s]")
    and not low:find("<[^>]*%son%a+%s*=")
end

local function picture(run, own)
  local stem, kind = as_text(own.stem), ending()
  if not stem:find("^[a-z0-9-]+$") then stop("found a figure called %s; allowed none", shown(stem)) end
  local path = straight(run.folder) .. "/figures/" .. stem .. "." .. kind
  local content = read(path)
  if not content then
    stop("found no %s; " .. WRITTEN, path, straight(run.folder .. "/.."))
  end
  if not content:find(SIGNS[kind]) or (kind == "svg" and not is_closed(content)) then
    stop("%s: found what is no drawing of reportgen", path)
  end
  local project = project_folder()
  if project then -- as all of a project's files it is named from there, wherever the document is
    local root = straight(project) .. "/"
    if path:sub(1, #root) == root then return path:sub(#root) end
  end
  local name = ("reportgen-%s-%s.%s"):format(stem, pandoc.utils.sha1(content):sub(1, 8), kind)
  pandoc.mediabag.insert(name, TYPES[kind], content)
  return name
end

local function figure_of(run, own, options)
  local attributes = { ["fig-alt"] = value_of(as_text(own.alt)) }
  if options.width ~= "" then attributes.width = options.width end
  return pandoc.Plain({ pandoc.Image({}, picture(run, own), "", pandoc.Attr("", {}, attributes)) })
end

-- A table or figure with its caption, to which the document may refer.
local function float(kind, content, caption, label)
  if label == "none" then return pandoc.Blocks({ content }) end
  if quarto and quarto.FloatRefTarget then
    local node = quarto.FloatRefTarget({
      identifier = label,
      type = TYPE_NAMES[kind],
      classes = {},
      attributes = {},
      content = content,
      caption_long = pandoc.Plain(caption),
    })
    return pandoc.Blocks({ node })
  end
  return pandoc.Blocks({ pandoc.Div({ content, pandoc.Para(caption) }, pandoc.Attr(label)) })
end

local function exhibit(run, kind, args, options)
  if #args ~= 1 then stop("%s: found %d names; allowed one", kind, #args) end
  local own = find(run.data, kind, args[1], options)
  local prefix = PREFIXES[kind] .. "-"
  local label = options.label
  if label == "" then label = prefix .. args[1]:lower():gsub("[^a-z0-9]+", "-") end
  if label ~= "none" and not label:find("^" .. PREFIXES[kind] .. "%-[%w_-]+$") then
    stop("label: found %s; allowed %s and letters, or none", shown(label), prefix)
  end
  local caption = options.caption ~= "" and words(options.caption) or inlines(own.caption)
  local content = kind == "table" and table_of(own) or figure_of(run, own, options)
  return float(kind, content, caption, label)
end

-- ------------------------------------------------------------------------------- the shortcode

local function plain(value)
  local text = text_of(value)
  local quote = text:sub(1, 1)
  if #text > 1 and (quote == '"' or quote == "'") and text:sub(-1) == quote then
    return text:sub(2, -2)
  end
  return text
end

local function is_among(name, names)
  for _, other in ipairs(names) do
    if other == name then return true end
  end
  return false
end

local function rg(args, kwargs, meta)
  local command = plain(args[1])
  local allowed = OPTIONS[command]
  if not allowed then
    stop("found %s; allowed: %s", command == "" and "no word" or shown(command),
      table.concat(keys_of(OPTIONS), ", "))
  end
  local given = {}
  for i = 2, #args do
    local text = plain(args[i])
    local key, value = text:match("^(%a+)=(.+)$") -- one word in metadata, as Quarto reads that
    if key == "results" or is_among(key, allowed) then
      kwargs[key] = plain(value)
    else
      given[#given + 1] = text
    end
  end
  local options = {}
  for _, name in ipairs(allowed) do options[name] = plain(kwargs[name]) end
  for name in pairs(kwargs) do
    if name ~= "results" and options[name] == nil then
      stop("%s: found %s=; allowed: %s", command, name,
        table.concat({ "results", table.unpack(allowed) }, ", "))
    end
  end
  local run = open_run(kwargs, meta)
  if command == "number" then
    if #given ~= 1 then stop("number: found %d keys; allowed one", #given) end
    return words(number(run.data, given[1]))
  elseif command == "verdict" or command == "sentence" then
    return verdict(run.data, given, options)
  elseif command == "abstract" then
    local found = pandoc.Blocks({})
    for _, own in ipairs(paragraphs(run.data, "abstract")) do found:insert(pandoc.Para(own)) end
    return found
  elseif command == "caption" then
    if #given ~= 2 or not PREFIXES[given[1]] then
      stop("caption: found %s; allowed table or figure, and its name", shown(table.concat(given, " ")))
    end
    return inlines(find(run.data, given[1], given[2], options).caption)
  end
  return exhibit(run, command, given, options)
end

return { rg = rg }
