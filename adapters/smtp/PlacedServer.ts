/**
 * smtp-server's server, whose connections take places: from their first packet on, since a handshake that never ends is
 * a connection too.
 *
 * @module
 */
import type { Socket } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js"
import type { Place, Places } from "./Places.ts"
import { StrictConnection } from "./StrictConnection.ts"

/** How long a rejected connection stays open for its client to read why, milliseconds. */
const lingerMillis = 1_000

/** The line that a client reads that finds no place. */
const noPlace = "421 4.7.0 Too many connections; try again later\r\n"

type UpgradeDone = Parameters<SMTPServer["_upgrade"]>[1]

/** A server whose connections take places. */
export class PlacedServer extends SMTPServer {
  readonly #all: Places
  readonly #places = new WeakMap<Socket, Place>()

  constructor(options: SMTPServerOptions, places: Places) {
    super(options)
    this.#all = places
  }

  /** The place of a socket that was accepted. */
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
    // Destroys the TLS socket: destroying the socket below it does not end the handshake.
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
    // STARTTLS removes this listener, so the end of the connection gives the place up as well.
    socket.once("close", place.leave)
    return super._acceptSocket(socket, handshake)
  }

  // The connection of a port with TLS from the first byte is made with the TLS socket.
  override _upgrade(socket: Socket, done: UpgradeDone): void {
    super._upgrade(socket, (error, secure) => {
      const place = this.#places.get(socket)
      if (place !== undefined && secure !== undefined) this.#places.set(secure, place)
      done(error, secure)
    })
  }
}

/** Destroys a socket once its client has had time to read why. */
export const closeSoon = (socket: Socket): void => {
  setTimeout(() => socket.destroy(), lingerMillis).unref()
}
