/**
 * What sending uses of nodemailer's SMTP connection, which is no public interface: the only file of this adapter that names
 * it. `test/adapters/nodemailer.test.ts` fails where it changes.
 *
 * @module
 */
import type { Socket } from "node:net"
import SMTPConnection from "nodemailer/lib/smtp-connection/index.js"

export { SMTPConnection }

/** The socket of a connection, which STARTTLS replaces; null before there is one. */
export const socketOf = (connection: SMTPConnection): Socket | null => connection._socket || null

/** Gives what the server sends to `read`, and no longer to nodemailer's own reader. */
export const readInstead = (socket: Socket, read: (chunk: Buffer) => void): void => {
  socket.removeAllListeners("data")
  socket.on("data", read)
}
