/**
 * Reads a message from a connection, within the limits of its size, its time and the memory for all messages.
 *
 * @module
 */
import type { SMTPServerDataStream } from "smtp-server"
import { type Answer, answers } from "../../../core/relay/Answers.ts"
import { PiecedBytes } from "../../../core/shared/Bytes.ts"
import { watchPace } from "../Pace.ts"
import type { Limits } from "./Limits.ts"
import { LineEnds, withCrlf } from "./LineEnds.ts"

/** The bytes of all messages that are being read, on all connections. */
export interface Held {
  bytes: number
}

/** The options for reading a message. */
export interface IntakeOptions {
  readonly limits: Limits
  readonly held: Held
  /** Called when the message has been received completely, or has ended and is rejected. */
  readonly onEnd: (message: Buffer | Answer) => void
  /** Called if the message will not be read to its end. The connection must then be closed. */
  readonly onCut: (answer: Answer) => void
}

/** The reading of one message. */
export class Intake {
  readonly #stream: SMTPServerDataStream
  readonly #options: IntakeOptions
  readonly #bytes = new PiecedBytes()
  #kept = 0
  readonly #lineEnds = new LineEnds()
  #rejection: Answer | null = null
  readonly #stopWatching: () => void

  constructor(stream: SMTPServerDataStream, options: IntakeOptions) {
    this.#stream = stream
    this.#options = options
    const { messageMillis, minBytesPerSecond } = options.limits
    this.#stopWatching = watchPace({
      millis: messageMillis,
      minBytesPerSecond,
      bytes: () => stream.byteLength,
      onSlow: () => this.#cut(answers.tooSlow)
    })
    stream.on("data", (chunk: Buffer) => this.#read(chunk))
    stream.once("end", () => this.#end())
    stream.once("error", () => this.#abandon())
    stream.once("close", () => this.#abandon())
  }

  /** Releases the bytes of the message, which count as held until then. */
  release(): void {
    this.#options.held.bytes -= this.#kept
    this.#kept = 0
    this.#bytes.clear()
  }

  #read(chunk: Buffer): void {
    const { held, limits } = this.#options
    const { byteLength } = this.#stream
    if (byteLength > limits.maxMessageBytes) this.#reject(answers.tooLarge)
    if (byteLength > limits.maxMessageBytes + limits.maxDiscardedBytes) return this.#cut(answers.tooLarge)
    if (this.#rejection !== null) return
    this.#lineEnds.read(chunk)
    if (this.#lineEnds.areMixed) return this.#reject(answers.mixedLineEnds)
    if (held.bytes + chunk.length > limits.maxHeldBytes) return this.#reject(answers.temporary)
    this.#bytes.add(chunk)
    this.#kept += chunk.length
    held.bytes += chunk.length
  }

  #end(): void {
    this.#stopWatching()
    const { held, limits } = this.#options
    const { bare, areMixedAtEnd } = this.#lineEnds
    if (this.#stream.byteLength + bare > limits.maxMessageBytes) this.#reject(answers.tooLarge)
    else if (areMixedAtEnd) this.#reject(answers.mixedLineEnds)
    else if (held.bytes + bare > limits.maxHeldBytes) this.#reject(answers.temporary)
    if (this.#rejection !== null) return this.#options.onEnd(this.#rejection)
    const { buffer, byteLength, byteOffset } = this.#bytes.whole()
    const message = Buffer.from(buffer, byteOffset, byteLength)
    this.#kept += bare
    held.bytes += bare
    return this.#options.onEnd(bare === 0 ? message : withCrlf(message, bare))
  }

  #abandon(): void {
    this.#stopWatching()
    if (!this.#stream.readableEnded) this.release()
  }

  #reject(answer: Answer): void {
    this.#rejection ??= answer
    this.release()
  }

  #cut(answer: Answer): void {
    this.#stopWatching()
    this.release()
    this.#options.onCut(answer)
  }
}
