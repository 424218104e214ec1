/**
 * An SMTP server (smtp-server's) whose connections occupy places, which `Places` limits. A connection takes its place when it
 * is accepted, because a handshake that never ends is a connection too.
 *
 * @module
 */
import type { Socket } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js"
import type { Place, Places } from "./Places.ts"
import { StrictConnection } from "./StrictConnection.ts"

/** How long a rejected connection stays open so that its client can read the reason, in milliseconds. */
const lingerMillis = 1_000

/** The reply to a client for whose connection there is no place. */
const noPlace = "421 4.7.0 Too many connections; try again later\r\n"

type UpgradeDone = Parameters<SMTPServer["_upgrade"]>[1]

/** A server whose connections occupy places. */
export class PlacedServer extends SMTPServer {
  readonly #all: Places
  readonly #places = new WeakMap<Socket, Place>()

  constructor(options: SMTPServerOptions, places: Places) {
    super(options)
    this.#all = places
  }

  /** The place of an accepted socket. */
  placeOf(socket: Socket): Place | undefined {
    return this.#places.get(socket)
  }

  override connect(socket: Socket, options: SMTPConnectionOptions | null = null): void {
    const connection = new StrictConnection(this, socket, options)
    this.connections.add(connection)
    connection.on("error", (error: Error) => this._onError(error))
    connection.on("connect", (data) => this._onClientConnect(data))
    connection.init()
  }

  override _acceptSocket(socket: Socket, handshake: boolean): (() => void) | false {
    // Destroys the TLS socket, because destroying the socket below it does not end the handshake.
    const place = this.#all.take(socket.remoteAddress ?? "", () =>
      (this._pendingSockets.get(socket) ?? socket).destroy()
    )
    if (place === null) {
      socket.on("error", () => socket.destroy())
      if (handshake) socket.destroy()
      else socket.end(noPlace, () => closeSoon(socket))
      return false
    }
    this.#places.set(socket, place)
    // STARTTLS removes this listener, so the handler of the connection's end also gives up the place.
    socket.once("close", place.leave)
    return super._acceptSocket(socket, handshake)
  }

  // On a port with TLS from the first byte, the connection is created with the TLS socket.
  override _upgrade(socket: Socket, done: UpgradeDone): void {
    super._upgrade(socket, (error, secure) => {
      const place = this.#places.get(socket)
      if (place !== undefined && secure !== undefined) this.#places.set(secure, place)
      done(error, secure)
    })
  }
}

/** Destroys a socket after its client has had time to read the reason. */
export const closeSoon = (socket: Socket): void => {
  setTimeout(() => socket.destroy(), lingerMillis).unref()
}
