/**
 * The images of an imported HTML file: lists the files it refers to, and replaces their addresses.
 *
 * @module
 */

const sources = /\b(src|background)\s{0,9}=\s{0,9}(["'])([^"'<>]{1,2000})\2/gi

/** The file name at the end of an address; null for an address on the network and for inline data. */
const fileOf = (address: string): string | null => {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/|\{\{)/i.test(address.trim())) return null
  const [path = ""] = address.trim().split(/[?#]/)
  let name = path.split("/").at(-1) ?? ""
  try {
    name = decodeURIComponent(name)
  } catch {
    // A name with invalid percent-encoding stays as written.
  }
  return name === "" ? null : name
}

/** The names of the files that the HTML refers to, each once. */
export const filesOf = (html: string): ReadonlyArray<string> => [
  ...new Set([...html.matchAll(sources)].flatMap(([, , , address]) => fileOf(address!) ?? []))
]

/** The HTML with addresses of files replaced. An address without a replacement stays. */
export const withAddresses = (html: string, addresses: ReadonlyMap<string, string>): string =>
  html.replaceAll(sources, (whole, name: string, quote: string, address: string) => {
    const found = addresses.get(fileOf(address) ?? "")
    return found === undefined ? whole : `${name}=${quote}${found}${quote}`
  })
