/**
 * Reads Server-Sent Events as they arrive (WHATWG HTML, 9.2.6).
 *
 * @module
 */

/** An event of a stream. */
export interface StreamEvent {
  /** The id after which a lost stream resumes; empty before the first event with an id. */
  readonly id: string
  readonly event: string
  readonly data: string
}

/** Makes a reader for one connection. It takes chunks of text and returns the events that they complete. */
export const makeEventReader = (onId: (id: string) => void) => {
  let rest = ""
  let id = ""
  let event = ""
  let data: Array<string> = []
  const read = (line: string): ReadonlyArray<StreamEvent> => {
    if (line === "") {
      const done = { id, event, data: data.join("\n") }
      const isEmpty = data.length === 0
      event = ""
      data = []
      onId(id)
      return isEmpty ? [] : [done]
    }
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? []
    if (name === "id") id = value
    if (name === "event") event = value
    if (name === "data") data.push(value)
    return []
  }
  return (piece: string): ReadonlyArray<StreamEvent> => {
    const lines = (rest + piece).split("\n")
    rest = lines.pop() ?? ""
    return lines.flatMap(read)
  }
}
