/**
 * Reads Server-Sent Events as a browser's EventSource does.
 *
 * @module
 */
import { eventually } from "./client.ts"
import type { EntryPoint } from "./targets.ts"

/** An event of a stream. */
export interface StreamEvent {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** A change of a stream, by its topic. */
export interface StreamChange<Item> {
  readonly change: "Created" | "Updated" | "Deleted"
  readonly item: Item
}

/** An open stream. */
export interface EventStream {
  readonly status: number
  readonly headers: Headers
  /** The events received so far. */
  readonly events: ReadonlyArray<StreamEvent>
  /** The comment lines received so far. */
  readonly comments: ReadonlyArray<string>
  /** The id after which to resume. */
  readonly lastId: () => string
  /** Whether the server has ended the stream. */
  readonly isEnded: () => boolean
  /** Whether the connection broke in the middle. */
  readonly isCut: () => boolean
  /** Waits for a change of a topic that satisfies a condition. */
  readonly change: <Item>(
    topic: string,
    satisfied?: (change: StreamChange<Item>) => boolean
  ) => Promise<StreamChange<Item>>
  /** The body of the response if the stream was rejected. */
  readonly text: () => string
  readonly close: () => Promise<void>
}

/** Opens a stream. It is read until `close`. */
export const openStream = async (
  target: Pick<EntryPoint, "fetch">,
  path: string,
  headers: Readonly<Record<string, string>>
): Promise<EventStream> => {
  const aborting = new AbortController()
  const response = await target.fetch(path, { headers, signal: aborting.signal })
  const events: Array<StreamEvent> = []
  const comments: Array<string> = []
  let lastId = ""
  let isEnded = false
  let isCut = false
  let text = ""
  const take = (block: string): void => {
    let event = "message"
    let data: string | null = null
    for (const line of block.split("\n")) {
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (name === "" && line !== "") comments.push(value)
      if (name === "id") lastId = value
      if (name === "event") event = value
      if (name === "data") data = value
    }
    if (data !== null) events.push({ id: lastId, event, data: JSON.parse(data) })
  }
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    const reader = response.body!.getReader()
    let rest = ""
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      rest += decoder.decode(part.value, { stream: true })
      if (response.status !== 200) continue
      const blocks = rest.split("\n\n")
      rest = blocks.pop()!
      for (const block of blocks) take(block)
    }
    text = rest
  }
  const reading = read()
    .catch(() => {
      isCut = true
    })
    .finally(() => {
      isEnded = true
    })
  if (response.status !== 200) await reading
  return {
    status: response.status,
    headers: response.headers,
    events,
    comments,
    lastId: () => lastId,
    isEnded: () => isEnded,
    isCut: () => isCut,
    text: () => text,
    change: async <Item>(topic: string, satisfied: (change: StreamChange<Item>) => boolean = () => true) => {
      const isFound = ({ data, event }: StreamEvent): boolean =>
        event === topic && satisfied(data as StreamChange<Item>)
      const found = await eventually(
        async () => events.find(isFound) ?? events,
        (one) => !Array.isArray(one) || isEnded
      )
      if (Array.isArray(found)) throw new Error(`The stream ended without ${topic}`)
      return (found as StreamEvent).data as StreamChange<Item>
    },
    close: async () => {
      aborting.abort()
      await reading
    }
  }
}
