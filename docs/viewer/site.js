// Search and buttons to copy code, on every page of the documentation. Everything they need is served with the page.

const loadIndex = async () => {
  const [{ default: MiniSearch }, response] = await Promise.all([
    import("./minisearch.js"),
    fetch(new URL("search.json", import.meta.url))
  ])
  return MiniSearch.loadJSON(await response.text(), {
    fields: ["title", "heading", "text"],
    storeFields: ["page", "title", "heading", "anchor", "excerpt"]
  })
}

const find = (index, query) => {
  const options = {
    boost: { title: 3, heading: 2 },
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false)
  }
  const all = index.search(query, { ...options, combineWith: "AND" })
  return (all.length > 0 ? all : index.search(query, options)).slice(0, 10)
}

const element = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

const search = document.querySelector(".search")
const input = search.querySelector("input")
const list = search.querySelector("ul")
let index
let selected = -1

const close = () => {
  list.hidden = true
  selected = -1
  input.setAttribute("aria-expanded", "false")
  input.removeAttribute("aria-activedescendant")
}

const select = (at) => {
  const options = [...list.querySelectorAll("[role=option]")]
  if (options.length === 0) return
  selected = (at + options.length) % options.length
  options.forEach((option, place) => option.setAttribute("aria-selected", String(place === selected)))
  options[selected].scrollIntoView({ block: "nearest" })
  input.setAttribute("aria-activedescendant", options[selected].id)
}

const addressOf = ({ anchor, page }) =>
  new URL(`../${page === "index" ? "../docs" : page}${anchor === "" ? "" : `#${anchor}`}`, import.meta.url)
    .href

const optionOf = (result, place) => {
  const { excerpt, heading, title } = result
  const link = element(
    "a",
    { href: addressOf(result), tabIndex: -1 },
    element("strong", { textContent: heading === "" ? title : `${title}: ${heading}` }),
    element("span", { textContent: excerpt })
  )
  link.addEventListener("click", close)
  const option = element("li", { id: `found-${place}` }, link)
  option.setAttribute("role", "option")
  return option
}

const show = async () => {
  const query = input.value.trim()
  if (query === "") return close()
  index ??= loadIndex()
  let found
  try {
    found = find(await index, query)
  } catch {
    index = undefined
    found = null
  }
  // A newer input shows its own results.
  if (input.value.trim() !== query) return
  const none = found === null ? "The index could not be loaded. Type again to retry." : "Nothing found."
  list.replaceChildren(
    ...(found?.length ? found.map(optionOf) : [element("li", { className: "none", textContent: none })])
  )
  list.hidden = false
  input.setAttribute("aria-expanded", "true")
  if (found?.length) select(0)
}

input.addEventListener("input", show)
input.addEventListener("focus", () => {
  index ??= loadIndex().catch(() => (index = undefined))
  if (input.value !== "") void show()
})
input.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    close()
    input.blur()
  } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault()
    select(selected + (event.key === "ArrowDown" ? 1 : -1))
  } else if (event.key === "Enter") {
    list.querySelector("[aria-selected=true] a")?.click()
  }
})
document.addEventListener("click", (event) => {
  if (!search.contains(event.target)) close()
})
document.addEventListener("keydown", (event) => {
  const { target } = event
  const types = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
  if (event.key !== "/" || types || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  input.focus()
})
search.hidden = false

// The clipboard API works only on https pages and on this machine. Elsewhere, the code is selected and copied by `execCommand`.
// If that fails, it stays selected.
const copy = async (code) => {
  const isWritten = await navigator.clipboard?.writeText(code.textContent).then(
    () => true,
    () => false
  )
  if (isWritten) return true
  getSelection().selectAllChildren(code)
  const isCopied = document.execCommand("copy")
  if (isCopied) getSelection().removeAllRanges()
  return isCopied
}

for (const block of document.querySelectorAll(".code")) {
  const button = element("button", { type: "button", className: "copy", textContent: "Copy" })
  button.addEventListener("click", async () => {
    button.textContent = (await copy(block.querySelector("code"))) ? "Copied" : "Press Ctrl+C"
    setTimeout(() => (button.textContent = "Copy"), 2000)
  })
  block.append(button)
}
