/**
 * The dialogue on an open connection. It writes commands and the bytes of messages, and reads the replies in order. Nodemailer
 * opens and closes the connection, but what the server sends is read here.
 *
 * @module
 */
import { Data, Effect } from "effect"
import type { Socket } from "node:net"
import { readInstead, type SMTPConnection } from "./Nodemailer.ts"
import { ReplyReader } from "./ReplyReader.ts"
import { reasonOf } from "./SmtpError.ts"
import type { Transcript } from "./Transcript.ts"

/** The longest reply that is accepted, in bytes. */
export const maxReplyBytes = 65_536

/** The awaited reply or write will not happen. */
export class Lost extends Data.TaggedError("Lost")<{
  /** The reason, such as `timeout`. */
  readonly reason: string
}> {}

/** A time limit that several waits share. */
export interface Deadline {
  /** Returns the remaining milliseconds. */
  readonly left: () => number
}

/** A deadline after the given number of milliseconds. */
export const deadlineIn = (millis: number): Deadline => {
  const at = performance.now() + millis
  return { left: () => Math.max(0, at - performance.now()) }
}

/** The dialogue on a connection. A reply outside of a transaction closes the connection. */
export class SmtpDialogue {
  readonly #smtp: SMTPConnection
  readonly #socket: Socket
  readonly #transcript: Transcript
  readonly #replies = new ReplyReader(maxReplyBytes)
  #isActive = false
  #lost: string | null = null
  #changed: () => void = () => undefined

  constructor(smtp: SMTPConnection, socket: Socket, transcript: Transcript) {
    this.#smtp = smtp
    this.#socket = socket
    this.#transcript = transcript
    readInstead(socket, (chunk) => this.#read(chunk))
    smtp.on("error", (error) => this.#lose(reasonOf(error)))
    smtp.once("end", () => {
      if (this.#lost === null) this.#replies.close()
      this.#lose("connection_lost")
    })
  }

  /** Why the connection can no longer be used; null if it can. */
  get broken(): string | null {
    return this.#lost ?? (this.#socket.writable ? null : "connection_lost")
  }

  /** Whether a reply was received and not yet taken. */
  get hasReply(): boolean {
    return this.#replies.hasReply
  }

  /** Begins a transaction. Returns null, or the reason why none can begin. */
  begin(): string | null {
    this.#isActive = true
    return this.broken ?? (this.#replies.isEmpty ? null : "protocol")
  }

  /** Ends a transaction. If the server sent a superfluous reply, it is out of step, and the connection is closed. */
  finish(): void {
    this.#isActive = false
    if (!this.#replies.isEmpty) this.close()
  }

  /** Closes the connection, after what was written is sent. */
  close(): void {
    this.#smtp.close()
  }

  /** Cuts the connection. What was written may be lost. */
  cut(): void {
    this.#socket.destroy()
    this.#smtp.close()
  }

  /** Ends the wait for a reply, like a timeout. */
  abandon(): void {
    this.#lose("timeout")
  }

  /** Closes the connection with QUIT, or without a reply after `closeMillis`. */
  quit(closeMillis: number): void {
    if (!this.#smtp.destroyed) this.#smtp.quit()
    setTimeout(() => this.#smtp.close(), closeMillis).unref()
  }

  /** Writes bytes in one piece. */
  write(bytes: Uint8Array | string): void {
    this.#socket.write(bytes)
  }

  /** Writes bytes, and waits until the socket has taken them or a reply has arrived. */
  flush(bytes: Uint8Array, deadline: Deadline): Effect.Effect<void, Lost> {
    return Effect.suspend(() => {
      let left = false
      this.#socket.write(bytes, () => {
        left = true
        this.#changed()
      })
      return this.#until(() => left || this.hasReply, deadline)
    })
  }

  /** Waits for the next reply. */
  reply(deadline: Deadline): Effect.Effect<string, Lost> {
    return Effect.map(
      this.#until(() => this.hasReply, deadline),
      () => this.take()!
    )
  }

  /** Takes a received reply; null if there is none. */
  take(): string | null {
    const reply = this.#replies.take()
    if (reply !== null) this.#transcript.record(reply)
    return reply
  }

  /** Waits until a condition holds. Fails at the deadline, or if the connection is lost. */
  #until(holds: () => boolean, deadline: Deadline): Effect.Effect<void, Lost> {
    return Effect.suspend(() => {
      if (holds()) return Effect.void
      if (this.#lost !== null) return Effect.fail(new Lost({ reason: this.#lost }))
      return Effect.callback<void, Lost>((resume) => {
        const end = (result: Effect.Effect<void, Lost>) => {
          clearTimeout(timer)
          this.#changed = () => undefined
          resume(result)
        }
        const timer = setTimeout(() => end(Effect.fail(new Lost({ reason: "timeout" }))), deadline.left())
        this.#changed = () => {
          if (holds()) end(Effect.void)
          else if (this.#lost !== null) end(Effect.fail(new Lost({ reason: this.#lost })))
        }
        return Effect.sync(() => {
          clearTimeout(timer)
          this.#changed = () => undefined
        })
      })
    })
  }

  #read(chunk: Buffer): void {
    if (this.#lost !== null) return
    if (!this.#replies.read(chunk)) {
      this.#lose("protocol")
      this.close()
    } else if (this.#isActive) this.#changed()
    // The reply to QUIT, a 421, or a reply without a command.
    else if (this.#replies.hasReply) this.close()
  }

  #lose(reason: string): void {
    if (this.#lost !== null) return
    this.#lost = reason
    this.#changed()
  }
}
