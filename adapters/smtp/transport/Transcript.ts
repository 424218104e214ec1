/**
 * What a server said on a connection: as nodemailer logs it while it opens, and as it is heard after that.
 *
 * @module
 */

const maxReplies = 20
const maxReply = 500

/** Without what no store keeps: control characters other than line ends, halves of characters. */
const storable = (text: string): string =>
  text.replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, " ").toWellFormed()

/** The last replies of a server, and the extensions it announced. */
export class Transcript {
  readonly #replies: Array<string> = []
  /** The last command that was sent to open the connection; undefined before the first. */
  lastCommand: string | undefined = undefined
  #extensions: ReadonlyMap<string, string> = new Map()

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
    if (this.lastCommand?.startsWith("EHLO")) this.#extensions = extensionsOf(line)
    this.heard(line)
  }

  /** Notes a reply. */
  heard(reply: string): void {
    this.#replies.push(storable(reply.slice(0, maxReply)))
    if (this.#replies.length > maxReplies) this.#replies.shift()
  }

  /** What the server announced with an extension (RFC 5321, 4.1.1.1), often nothing; null when it did not announce it. */
  parametersOf(extension: string): string | null {
    return this.#extensions.get(extension) ?? null
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

/** The extensions that a reply to EHLO announces after the server's name, each with its parameters. */
const extensionsOf = (reply: string): ReadonlyMap<string, string> =>
  new Map(
    reply
      .split("\n")
      .slice(1)
      .map((line) => {
        const [keyword = "", ...parameters] = line.slice(4).trim().split(/\s+/)
        return [keyword.toUpperCase(), parameters.join(" ")]
      })
  )
