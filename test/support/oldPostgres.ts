/**
 * A server that speaks just enough of the PostgreSQL protocol to be asked for its version.
 *
 * @module
 */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"

const message = (type: string, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const body = Buffer.concat(parts)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const text = (value: string): Buffer => Buffer.from(`${value}\0`)

const column = (name: string, type: number, size: number): Buffer =>
  Buffer.concat([text(name), int32(0), int16(0), int32(type), int16(size & 0xffff), int32(-1), int16(1)])
const value = (bytes: Buffer): Buffer => Buffer.concat([int32(bytes.length), bytes])

/**
 * Starts a server that claims to be PostgreSQL `version`. It answers every query with one row, in binary format: its version
 * number.
 */
export const startOldPostgres = async (version: string, number: number) => {
  const description = message("T", int16(2), column("version", 25, -1), column("number", 23, 4))
  const ready = message("Z", Buffer.from("I"))
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    let hasStarted = false
    socket.on("error", () => socket.destroy())
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const answers: Array<Buffer> = []
      while (received.length >= 8 || (hasStarted && received.length >= 5)) {
        const at = hasStarted ? 1 : 0
        const length = received.readUInt32BE(at)
        if (received.length < at + length) break
        const type = hasStarted ? String.fromCharCode(received[0]!) : ""
        const body = received.subarray(at + 4, at + length)
        received = received.subarray(at + length)
        const row = [value(Buffer.from(version)), value(int32(number))]
        const answer: Record<string, ReadonlyArray<Buffer>> = {
          "": [message("R", int32(0)), message("S", text("server_version"), text(version)), ready],
          P: [message("1")],
          D: body[0] === 0x53 ? [message("t", int16(0)), description] : [description],
          B: [message("2")],
          E: [message("D", int16(2), ...row), message("C", text("SELECT 1"))],
          C: [message("3")],
          S: [ready]
        }
        hasStarted = true
        answers.push(...(answer[type] ?? []))
      }
      if (answers.length > 0) socket.write(Buffer.concat(answers))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://svc:secret@127.0.0.1:${port}/svc`,
    stop: () => {
      server.close()
    }
  }
}
