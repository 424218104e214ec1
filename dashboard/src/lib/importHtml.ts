/**
 * The images of an HTML file that is imported: which files it names, and the file with their new addresses.
 *
 * @module
 */

const sources = /\b(src|background)\s{0,9}=\s{0,9}(["'])([^"'<>]{1,2000})\2/gi

/** The name of a file that an address ends with; null for what is of the network or inline. */
const fileOf = (address: string): string | null => {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|\{\{)/i.test(address.trim())) return null
  const [path = ""] = address.trim().split(/[?#]/)
  let name = path.split("/").at(-1) ?? ""
  try {
    name = decodeURIComponent(name)
  } catch {
    // As it is written.
  }
  return name === "" ? null : name
}

/** The names of the files that html shows, each once. */
export const filesOf = (html: string): ReadonlyArray<string> => [
  ...new Set([...html.matchAll(sources)].flatMap(([, , , address]) => fileOf(address!) ?? []))
]

/** Html with the addresses of files replaced; those without a new one stay. */
export const withAddresses = (html: string, addresses: ReadonlyMap<string, string>): string =>
  html.replaceAll(sources, (whole, name: string, quote: string, address: string) => {
    const found = addresses.get(fileOf(address) ?? "")
    return found === undefined ? whole : `${name}=${quote}${found}${quote}`
  })
