/**
 * Reads a message off a connection, holding no more of it than may be.
 *
 * @module
 */
import type { SMTPServerDataStream } from "smtp-server"
import { type Answer, answers } from "../../../core/relay/Answers.ts"
import type { Limits } from "./Limits.ts"

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** How a message ended. */
export interface IntakeEvents {
  /** It came whole, or it came to its end and is refused. */
  readonly onEnd: (message: Buffer | Answer) => void
  /** It will not come to its end: the connection has to. */
  readonly onCut: (answer: Answer) => void
}

/** The bytes held by the messages being read, of all connections together. */
export interface Held {
  bytes: number
}

/** Reads a message. The bytes of one that came whole stay counted until `release` is called. */
export const takeIn = (
  stream: SMTPServerDataStream,
  limits: Limits,
  held: Held,
  { onCut, onEnd }: IntakeEvents
): { readonly release: () => void } => {
  const began = Date.now()
  const chunks: Array<Buffer> = []
  let kept = 0
  let endsInReturn = false
  let refusal: Answer | null = null

  const release = () => {
    held.bytes -= kept
    kept = 0
    chunks.length = 0
  }
  const refuse = (answer: Answer) => {
    refusal ??= answer
    release()
  }
  const cut = (answer: Answer) => {
    clearTimeout(timer)
    release()
    onCut(answer)
  }
  /** When the message is too slow, by what has come of it. */
  const deadline = () => began + limits.messageMillis + (stream.byteLength * 1000) / limits.minBytesPerSecond
  const check = () => {
    const left = deadline() - Date.now()
    if (left <= 0) cut(answers.tooSlow)
    else timer = setTimeout(check, left)
  }
  let timer = setTimeout(check, limits.messageMillis)

  stream.on("data", (chunk: Buffer) => {
    if (stream.byteLength > limits.maxMessageBytes) refuse(answers.tooLarge)
    if (stream.byteLength > limits.maxMessageBytes + limits.maxDiscardedBytes) return cut(answers.tooLarge)
    if (refusal !== null) return
    if (hasBareLineFeed(chunk, endsInReturn)) return refuse(answers.bareLineFeed)
    if (held.bytes + chunk.length > limits.maxHeldBytes) return refuse(answers.temporary)
    endsInReturn = chunk[chunk.length - 1] === carriageReturn
    chunks.push(chunk)
    kept += chunk.length
    held.bytes += chunk.length
  })
  stream.once("end", () => {
    clearTimeout(timer)
    if (stream.byteLength > limits.maxMessageBytes) refuse(answers.tooLarge)
    onEnd(refusal ?? Buffer.concat(chunks, kept))
  })
  const abandoned = () => {
    clearTimeout(timer)
    if (!stream.readableEnded) release()
  }
  stream.once("error", abandoned)
  stream.once("close", abandoned)
  return { release }
}

/** Whether a line feed has no carriage return before it (RFC 5321, 2.3.8). */
const hasBareLineFeed = (chunk: Buffer, afterReturn: boolean): boolean => {
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) {
    if (at === 0 ? !afterReturn : chunk[at - 1] !== carriageReturn) return true
  }
  return false
}
