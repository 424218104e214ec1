/**
 * What a server said on a connection, as nodemailer logs it.
 *
 * @module
 */

const maxReplies = 20
const maxReply = 500

/** Without what no store keeps: control characters other than line ends, halves of characters. */
const storable = (text: string): string =>
  text.replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, " ").toWellFormed()

/** The last replies of a server, and the capabilities it named. */
export class Transcript {
  readonly #replies: Array<string> = []
  /** The last command that was sent; undefined before the first. */
  lastCommand: string | undefined = undefined
  #capabilities = ""

  /** A logger as nodemailer takes it. */
  readonly logger = {
    level: () => undefined,
    trace: () => undefined,
    debug: (entry: unknown, line?: unknown) => this.#note(entry, line),
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    fatal: () => undefined
  }

  #note(entry: unknown, line: unknown): void {
    if (typeof entry !== "object" || entry === null || !("tnx" in entry) || typeof line !== "string") return
    if (entry.tnx === "client") this.lastCommand = line
    // A 334 is a challenge of an authentication, for machines alone.
    if (entry.tnx !== "server" || line.startsWith("334")) return
    if (this.lastCommand?.startsWith("EHLO")) this.#capabilities = line
    this.#replies.push(storable(line.slice(0, maxReply)))
    if (this.#replies.length > maxReplies) this.#replies.shift()
  }

  /** Whether the server named a capability that has no parameters. */
  supports(extension: string): boolean {
    return this.#capabilities.split("\n").some((line) => line.slice(4).trim().toUpperCase() === extension)
  }

  /** Forgets the replies to earlier messages. */
  restart(): void {
    this.#replies.length = 0
  }

  /** At most 20, the last, each cut to 500 characters. */
  replies(): ReadonlyArray<string> {
    return [...this.#replies]
  }
}
