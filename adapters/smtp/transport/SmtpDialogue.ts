/**
 * What is said on a connection once it is open: commands, the replies to them in their order, and the bytes of messages.
 * Opening and closing are nodemailer's; reading what the server sends is taken over from it.
 *
 * @module
 */
import { Data, Effect } from "effect"
import type SMTPConnection from "nodemailer/lib/smtp-connection/index.js"
import type { Socket } from "node:net"
import { ReplyReader } from "./ReplyReader.ts"
import { wordOf } from "./SmtpError.ts"
import type { Transcript } from "./Transcript.ts"

/** The longest reply that is waited for, bytes. */
export const maxReplyBytes = 65_536

/** The connection will not say what was waited for. */
export class Lost extends Data.TaggedError("Lost")<{
  /** A word for why, such as `timeout`. */
  readonly word: string
}> {}

/** A time that several waits share. */
export interface Deadline {
  /** Milliseconds left. */
  readonly left: () => number
}

/** A deadline in so many milliseconds. */
export const deadlineIn = (millis: number): Deadline => {
  const at = performance.now() + millis
  return { left: () => Math.max(0, at - performance.now()) }
}

/** A conversation over an open connection. What comes while nobody converses closes it. */
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
    // Nodemailer's, for which there is nothing more to read.
    socket.removeAllListeners("data")
    socket.on("data", (chunk: Buffer) => this.#read(chunk))
    smtp.on("error", (error) => this.#lose(wordOf(error)))
    smtp.once("end", () => {
      if (this.#lost === null) this.#replies.close()
      this.#lose("connection_lost")
    })
  }

  /** A word for what broke it, so that nothing more can be said; null while it holds. */
  get broken(): string | null {
    return this.#lost ?? (this.#socket.writable ? null : "connection_lost")
  }

  /** Whether a reply waits to be taken. */
  get hasReply(): boolean {
    return this.#replies.hasReply
  }

  /** Begins to converse; null, or a word for why that cannot be. */
  begin(): string | null {
    this.#isActive = true
    return this.broken ?? (this.#replies.isEmpty ? null : "protocol")
  }

  /** Ends conversing. A server that said more than it was asked is out of step: nothing more is said to it. */
  finish(): void {
    this.#isActive = false
    if (!this.#replies.isEmpty) this.close()
  }

  /** Ends the connection; what was written still leaves. */
  close(): void {
    this.#smtp.close()
  }

  /** Ends the connection without the courtesies of closing. */
  cut(): void {
    this.#socket.destroy()
    this.#smtp.close()
  }

  /** Says goodbye. A server that does not answer is left all the same. */
  quit(closeMillis: number): void {
    if (!this.#smtp.destroyed) this.#smtp.quit()
    setTimeout(() => this.#smtp.close(), closeMillis).unref()
  }

  /** Writes, in one piece. */
  write(bytes: Uint8Array | string): void {
    this.#socket.write(bytes)
  }

  /** Writes, and waits until it has left, or a reply came. */
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

  /** The next reply. */
  reply(deadline: Deadline): Effect.Effect<string, Lost> {
    return Effect.map(
      this.#until(() => this.hasReply, deadline),
      () => this.take()!
    )
  }

  /** A reply that has come; null for none. */
  take(): string | null {
    const reply = this.#replies.take()
    if (reply !== null) this.#transcript.heard(reply)
    return reply
  }

  /** Waits until something is so; fails when it cannot come to be any more. */
  #until(isSo: () => boolean, deadline: Deadline): Effect.Effect<void, Lost> {
    return Effect.suspend(() => {
      if (isSo()) return Effect.void
      if (this.#lost !== null) return Effect.fail(new Lost({ word: this.#lost }))
      return Effect.callback<void, Lost>((resume) => {
        const settle = (result: Effect.Effect<void, Lost>) => {
          clearTimeout(timer)
          this.#changed = () => undefined
          resume(result)
        }
        const timer = setTimeout(() => settle(Effect.fail(new Lost({ word: "timeout" }))), deadline.left())
        this.#changed = () => {
          if (isSo()) settle(Effect.void)
          else if (this.#lost !== null) settle(Effect.fail(new Lost({ word: this.#lost })))
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
    // The answer to QUIT, a 421, or what nobody asked for.
    else if (this.#replies.hasReply) this.close()
  }

  #lose(word: string): void {
    if (this.#lost !== null) return
    this.#lost = word
    this.#changed()
  }
}
