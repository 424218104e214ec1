/**
 * A connection to the relay: smtp-server's, which does the protocol, made stricter where it is lax, and with the
 * relay's own answers and limits.
 *
 * @module
 */
import type { Socket } from "node:net"
import type { SMTPServer } from "smtp-server"
import { SMTPConnection, type SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js"
import { type Answer, answers } from "../../../core/relay/Answers.ts"
import { CommandStream } from "./CommandStream.ts"
import type { Limits } from "./Limits.ts"

/** An answer that brings its enhanced status code. */
const withEnhancedCode = /^[245]\.\d{1,3}\.\d{1,3} /
const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/

/** RFC 3207, 4: what is refused before the connection is encrypted. */
const encryptedOnly: ReadonlySet<string> = new Set(["AUTH", "MAIL", "RCPT", "DATA"])
const ofMessage: ReadonlySet<string> = new Set(["MAIL", "RCPT", "DATA"])

/** A quoted local part (RFC 5321, 4.1.2), which may hold what ends a path elsewhere. */
const quotedPath =
  /^([A-Za-z]+ [A-Za-z]+:\s*<(?:@[^<>:"]*:)?)("(?:[^"\\\r\n]|\\[\x20-\x7e])*")(@[^@<>\s]+>.*)$/

type ParsedPath = ReturnType<SMTPConnection["_parseAddressCommand"]>

/** A connection. */
export class RelayConnection extends SMTPConnection {
  readonly #limits: Limits
  readonly #login: NodeJS.Timeout
  readonly #idle: NodeJS.Timeout
  readonly #onClosed: () => void
  #isClosed = false
  #errors = 0
  #idleCommands = 0
  #messages = 0
  #isStopping = false

  /** @param onClosed called once, when the connection has ended */
  constructor(
    server: SMTPServer,
    socket: Socket,
    options: SMTPConnectionOptions | null,
    limits: Limits,
    onClosed: () => void
  ) {
    super(server, socket, options)
    this.#limits = limits
    this.#onClosed = onClosed
    this.#login = setTimeout(() => this.#onLoginTooLate(), limits.loginMillis)
    this.#idle = setTimeout(() => this.#onIdle(), limits.idleMillis)
  }

  /** Ends the connection with an answer. */
  end(answer: Answer): void {
    this.say(answer)
    this.close()
  }

  /** Answers. */
  say({ code, enhanced, text }: Answer): void {
    this.send(code, `${enhanced} ${text}`)
  }

  /** A message was accepted. */
  accepted(): void {
    this.#errors = 0
    this.#idleCommands = 0
    this.#messages++
  }

  /** Ends the connection, a message on its way first. */
  stop(): void {
    this.#isStopping = true
    if (!this._dataStream) this.say(answers.stopping)
  }

  /** To be called when a message was answered. */
  answered(): void {
    this.#idle.refresh()
    if (this.#isStopping) this.say(answers.stopping)
  }

  // A client is not made to wait: those that talk too soon are told so, and send with a key.
  override init(): void {
    this._setListeners(() => {
      if (this._server.connections.size > this.#limits.maxConnections)
        return this.end(answers.tooManyConnections)
      return this.connectionReady()
    })
  }

  override send(code: number, data?: string | Array<string> | null, context?: string | false): void {
    const brings = typeof data === "string" && withEnhancedCode.test(data)
    // Answers to commands that came together leave together. What ends the plain conversation leaves at once.
    const socket = code === 220 || code === 421 ? null : this._socket
    socket?.cork()
    super.send(code, data, brings ? false : context)
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

  // Login is neither offered nor taken before the connection is encrypted.
  override _isSupported(command: string): boolean {
    return super._isSupported(command) && (this.secure || command.trim().toUpperCase() !== "AUTH")
  }

  override _onCommand(command: Buffer, callback: () => void = () => undefined): void {
    if (this._upgrading || this._closing || !this._ready) return super._onCommand(command, callback)
    this.#idle.refresh()
    const refuse = (answer: Answer) => {
      this.say(answer)
      setImmediate(() => this._whenWritable(callback))
    }
    if (this.#isStopping) return this.say(answers.stopping)
    const line = command.toString("latin1")
    const verb = line.slice(0, 10).split(" ")[0]!.toUpperCase()
    if (this._nextHandler === false) {
      if (controls.test(line)) return refuse(answers.badCommand)
      if (!this.secure && encryptedOnly.has(verb)) return refuse(answers.encryptFirst)
      if (!ofMessage.has(verb) && ++this.#idleCommands > this.#limits.maxIdleCommands) {
        return this.say(answers.tooManyCommands)
      }
      if (verb === "MAIL" && this.#messages >= this.#limits.maxMessagesOfConnection) {
        return this.say(answers.tooManyOfConnection)
      }
    }
    return super._onCommand(command, callback)
  }

  override _parseAddressCommand(name: string, command: Buffer | string): ParsedPath {
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
