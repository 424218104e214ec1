/**
 * A connection to the relay. It is smtp-server's, which implements the protocol, made stricter and with the relay's own replies
 * and limits.
 *
 * @module
 */
import { isUtf8 } from "node:buffer"
import type { Socket } from "node:net"
import type { SMTPServer, SMTPServerAddress } from "smtp-server"
import type { SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js"
import { type Answer, answers } from "../../../core/relay/Answers.ts"
import { type ParsedPath, StrictConnection } from "../StrictConnection.ts"
import { CommandStream } from "./CommandStream.ts"
import type { Limits } from "./Limits.ts"

/** A reply with its enhanced status code. */
const withEnhancedCode = /^[245]\.\d{1,3}\.\d{1,3} /
const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** The commands that are rejected until the connection is encrypted (RFC 3207, 4). */
const encryptedOnly: ReadonlySet<string> = new Set(["AUTH", "MAIL", "RCPT", "DATA"])
/** A login without a user name, or with an empty one (RFC 4954, 4). */
const login = /^auth +login( +=)? *$/i
/** The user name is not checked, but smtp-server rejects an empty one. */
const anyUser = Buffer.from("svc").toString("base64")
const ofMessage: ReadonlySet<string> = new Set(["MAIL", "RCPT", "DATA"])

/** A path with a quoted local part (RFC 5321, 4.1.2), which may contain characters that end other paths. */
const quotedPath =
  /^([A-Za-z]+ [A-Za-z]+:\s*<(?:@[^<>:"]*:)?)("(?:[^"\\\r\n]|\\[\x20-\x7e])*")(@[^@<>\s]+>.*)$/

/** The address of an envelope's entry. `RelayConnection` has escaped it. */
export const addressOf = ({ address }: SMTPServerAddress): string => decodeURIComponent(address)

/** The options of a connection. */
export interface RelayConnectionOptions {
  readonly options: SMTPConnectionOptions | null
  readonly limits: Limits
  /** Called when the client has logged in to an account. Returns false if the account has too many connections. */
  readonly onLogin: (accountId: string) => boolean
  /** Called once, after the connection has ended. */
  readonly onClosed: () => void
}

/** A connection of a client. */
export class RelayConnection extends StrictConnection {
  readonly #limits: Limits
  readonly #login: NodeJS.Timeout
  readonly #idle: NodeJS.Timeout
  readonly #onLogin: RelayConnectionOptions["onLogin"]
  readonly #onClosed: () => void
  #isClosed = false
  #errors = 0
  #idleCommands = 0
  #messages = 0
  #isStopping = false
  #asksForUser = false

  constructor(
    server: SMTPServer,
    socket: Socket,
    { limits, onClosed, onLogin, options }: RelayConnectionOptions
  ) {
    super(server, socket, options)
    this.#limits = limits
    this.#onClosed = onClosed
    this.#onLogin = onLogin
    this.#login = setTimeout(() => this.#onLoginTooLate(), limits.loginMillis)
    this.#idle = setTimeout(() => this.#onIdle(), limits.idleMillis)
  }

  /** Sends a reply and closes the connection. */
  end(answer: Answer): void {
    this.say(answer)
    this.close()
  }

  /** Sends a reply. */
  say({ code, enhanced, text }: Answer): void {
    this.send(code, `${enhanced} ${text}`)
  }

  /** Records that the client has logged in to an account. Returns false if the account has too many connections. */
  loggedIn(accountId: string): boolean {
    return this.#onLogin(accountId)
  }

  /** Records that a message was accepted. */
  accepted(): void {
    this.#errors = 0
    this.#idleCommands = 0
    this.#messages++
  }

  /** Closes the connection, after the message that is being received. */
  stop(): void {
    this.#isStopping = true
    if (!this._dataStream) this.say(answers.stopping)
  }

  /** Records that the reply to a message was sent. */
  replied(): void {
    this.#idle.refresh()
    if (this.#isStopping) this.say(answers.stopping)
  }

  // Omits smtp-server's delay that detects clients which talk too early, because clients of the relay log in.
  override init(): void {
    this._setListeners(() => this.connectionReady())
  }

  override send(code: number, data?: string | Array<string> | null, context?: string | false): void {
    const isEnhanced = typeof data === "string" && withEnhancedCode.test(data)
    // Replies to commands that arrived together are sent together. Replies before TLS or closing are sent immediately.
    const socket = code === 220 || code === 421 ? null : this._socket
    socket?.cork()
    super.send(code, data, isEnhanced ? false : context)
    if (socket !== null) process.nextTick(() => socket.uncork())
    if (code >= 400 && code !== 421 && ++this.#errors >= this.#limits.maxErrors)
      this.say(answers.tooManyErrors)
  }

  override _createParser(): CommandStream {
    const stream = new CommandStream({
      maxCommandLength: this._server.options.maxCommandLength ?? 0,
      onBareLineFeed: () => this.end(answers.bareCommand)
    })
    stream.oncommand = (command, callback) => this._onCommand(command, callback)
    stream.on("error", () => this.end(answers.lineTooLong))
    return stream
  }

  // Login is neither offered nor accepted until the connection is encrypted.
  override _isSupported(command: string): boolean {
    return super._isSupported(command) && (this.secure || command.trim().toUpperCase() !== "AUTH")
  }

  override _onCommand(command: Buffer, callback: () => void = () => undefined): void {
    if (this._upgrading || this._closing || !this._ready) return super._onCommand(command, callback)
    this.#idle.refresh()
    const reject = (answer: Answer) => {
      this.say(answer)
      setImmediate(() => this._whenWritable(callback))
    }
    if (this.#isStopping) return this.say(answers.stopping)
    const line = command.toString("latin1")
    const verb = line.slice(0, 10).split(" ")[0]!.toUpperCase()
    const isUser = this.#asksForUser && this._nextHandler !== false
    const [isLogin, isEmpty] = login.exec(line) ?? []
    this.#asksForUser = isLogin !== undefined && isEmpty === undefined
    if (isUser && line.trim() === "") return super._onCommand(Buffer.from(anyUser), callback)
    if (this._nextHandler === false) {
      if (controls.test(line)) return reject(answers.badCommand)
      if (!this.secure && encryptedOnly.has(verb)) return reject(answers.encryptFirst)
      if (!ofMessage.has(verb) && ++this.#idleCommands > this.#limits.maxIdleCommands) {
        return this.say(answers.tooManyCommands)
      }
      if (verb === "MAIL" && this.#messages >= this.#limits.maxMessagesOfConnection) {
        return this.say(answers.tooManyOfConnection)
      }
      if (isEmpty !== undefined) return super._onCommand(Buffer.from(`AUTH LOGIN ${anyUser}`), callback)
    }
    return super._onCommand(command, callback)
  }

  // smtp-server treats recipients as equal if they differ only in the case of letters, and drops the first of them. Escaping
  // keeps letters apart whose case is significant (`core/shared/EmailAddress.ts`, foldAddress).
  override _parseAddressCommand(name: string, command: Buffer | string): ParsedPath {
    const parsed = this.#parsePath(name, command)
    return parsed && { ...parsed, address: encodeURIComponent(parsed.address.toWellFormed()) }
  }

  #parsePath(name: string, command: Buffer | string): ParsedPath {
    // If other bytes were decoded as UTF-8, the result would be the address of another mailbox (RFC 6531, 3.3).
    if (Buffer.isBuffer(command) && !isUtf8(command)) return false
    const [, before, local, after] = quotedPath.exec(command.toString()) ?? []
    if (local === undefined) return super._parseAddressCommand(name, command)
    const parsed = super._parseAddressCommand(name, `${before}quoted${after}`)
    return parsed && { ...parsed, address: parsed.address.replace("quoted", () => local) }
  }

  override _onClose(): void {
    clearTimeout(this.#login)
    clearTimeout(this.#idle)
    super._onClose()
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onClosed()
  }

  #onLoginTooLate(): void {
    if (!this.session.user) this.say(answers.loginTooLate)
  }

  #onIdle(): void {
    if (this._handlerPending || this._dataStream) this.#idle.refresh()
    else this.say(answers.idle)
  }
}
