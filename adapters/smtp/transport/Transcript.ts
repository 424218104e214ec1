/**
 * Records the replies of a server: those that nodemailer logs while a connection opens, and those that are read later.
 *
 * @module
 */

const maxReplies = 20
const maxReply = 500

/** Replaces characters that a database cannot store: control characters except line ends, and unpaired surrogates. */
const storable = (text: string): string =>
  text.replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, " ").toWellFormed()

/** The last replies of a server, and the extensions that it announced. */
export class Transcript {
  readonly #replies: Array<string> = []
  /** The last command sent while the connection opened; undefined before the first. */
  lastCommand: string | undefined = undefined
  #extensions: ReadonlyMap<string, string> = new Map()
  readonly #onCommand: (command: string) => void

  /** @param onCommand called with each command sent while the connection opens, without secrets */
  constructor(onCommand: (command: string) => void = () => undefined) {
    this.#onCommand = onCommand
  }

  /** A logger for nodemailer's connection. */
  readonly logger = {
    level: () => undefined,
    trace: () => undefined,
    debug: (entry: unknown, line?: unknown) => this.#log(entry, line),
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    fatal: () => undefined
  }

  #log(entry: unknown, line: unknown): void {
    if (typeof entry !== "object" || entry === null || !("tnx" in entry) || typeof line !== "string") return
    if (entry.tnx === "client") {
      this.#onCommand(line)
      this.lastCommand = line
    }
    // 334 is a challenge of authentication, which is of no use to operators.
    if (entry.tnx !== "server" || line.startsWith("334")) return
    if (this.lastCommand?.startsWith("EHLO")) this.#extensions = extensionsOf(line)
    this.record(line)
  }

  /** Records a reply. */
  record(reply: string): void {
    this.#replies.push(storable(reply.slice(0, maxReply)))
    if (this.#replies.length > maxReplies) this.#replies.shift()
  }

  /** The parameters that the server announced with an extension (RFC 5321, 4.1.1.1), often empty; null if not announced. */
  parametersOf(extension: string): string | null {
    return this.#extensions.get(extension) ?? null
  }

  /** Removes the replies to earlier messages. */
  restart(): void {
    this.#replies.length = 0
  }

  /** The last 20 replies, each cut to 500 characters. */
  replies(): ReadonlyArray<string> {
    return [...this.#replies]
  }

  /** The codes of these replies, without their texts. */
  codes(): ReadonlyArray<string> {
    return this.#replies.map((reply) => codesOf(reply).replace("-", " "))
  }
}

/** The codes of a reply (RFC 5321, 4.2; RFC 3463); empty if it is not a reply. */
const codesOf = (reply: string): string =>
  /^\d{3}(?:[ -][245]\.\d{1,3}\.\d{1,3}(?![\d.]))?/.exec(reply)?.[0] ?? ""

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
