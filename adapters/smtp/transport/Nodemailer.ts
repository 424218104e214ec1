/**
 * The parts of nodemailer's SMTP connection that sending uses. They are not a public interface, so no other file of this adapter
 * names them, and `test/adapters/nodemailer.test.ts` fails if they change.
 *
 * @module
 */
import type { Socket } from "node:net"
import SMTPConnection from "nodemailer/lib/smtp-connection/index.js"

export { SMTPConnection }

/** The socket of a connection, which STARTTLS replaces; null before the connection has one. */
export const socketOf = (connection: SMTPConnection): Socket | null => connection._socket || null

/** Passes what the server sends to `read` instead of nodemailer's own reader. */
export const readInstead = (socket: Socket, read: (chunk: Buffer) => void): void => {
  socket.removeAllListeners("data")
  socket.on("data", read)
}
