/**
 * Checks the ports on which the service listens: whether each is free, or taken by this service.
 *
 * @module
 */
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import type { Configuration } from "../../config/config.ts"
import { listenError } from "../../server/portsTaken.ts"
import { smtpAddressOf, smtpHostOf } from "../../server/publicEndpoint.ts"
import { codeOf } from "../output.ts"
import { fail, type Finding, ok, warn } from "./Finding.ts"

const answerMillis = 3000

const isHealthy = async (baseUrl: string): Promise<boolean> => {
  try {
    const answer = await fetch(`${baseUrl}/health/live`, { signal: AbortSignal.timeout(answerMillis) })
    return answer.ok && answer.headers.has("x-request-id")
  } catch {
    return false
  }
}

/** The first line that a port sends; null if it sends none. */
const greetingOf = (host: string, port: number, implicitTls: boolean): Promise<string | null> =>
  new Promise((resolve) => {
    // The purpose is only to identify the server, so its certificate need not be valid.
    const socket = implicitTls
      ? connectTls({ host, port, rejectUnauthorized: false })
      : connect({ host, port })
    const end = (line: string | null) => {
      socket.destroy()
      resolve(line)
    }
    socket.setTimeout(answerMillis)
    socket.once("data", (chunk: Buffer) => end(chunk.toString("latin1").split("\r\n")[0] ?? ""))
    socket.once("timeout", () => end(null))
    socket.once("error", () => end(null))
    socket.once("close", () => resolve(null))
  })

const describe = async (
  check: string,
  host: string | null,
  port: number,
  variable: string,
  isOurs: () => Promise<boolean>
): Promise<Finding> => {
  if (port === 0) return ok(check, "any free port")
  const error = await listenError(host, port)
  if (error === null) return ok(check, `${port} is free`)
  const code = codeOf(error)
  if (code === "EADDRINUSE") {
    return (await isOurs())
      ? ok(check, `${port} is in use by this service`)
      : fail(check, `${port} is in use by another program`, `Stop the other program, or set ${variable}`)
  }
  if (code === "EACCES" && variable === "SVC_SMTP_PORTS") {
    return warn(
      check,
      `${port} requires privileges, so ${port + 10_000} is used instead`,
      "Grant CAP_NET_BIND_SERVICE, or forward the port"
    )
  }
  const fix = code === "EACCES" ? "Grant CAP_NET_BIND_SERVICE" : "Check the address to listen on"
  return fail(check, `${port} cannot be listened on: ${code}`, `${fix}, or set ${variable}`)
}

/** Checks every port on which this process would listen. */
export const checkPorts = (configured: Configuration): Promise<ReadonlyArray<Finding>> => {
  const { host, inboundPort, port, roles, smtpPorts } = configured
  const checks: Array<Promise<Finding>> = []
  const probe = (of: string | null): string =>
    of === null || of === "0.0.0.0" ? "127.0.0.1" : of === "::" ? "::1" : of
  if (roles.has("api")) {
    const at = probe(host)
    const url = `http://${at.includes(":") ? `[${at}]` : at}:${port}`
    checks.push(describe("API port", host, port, "SVC_PORT", () => isHealthy(url)))
  }
  if (roles.has("smtp")) {
    const address = smtpAddressOf(configured)
    const at = address === null ? "127.0.0.1" : probe(smtpHostOf(configured))
    for (const { implicitTls, port: relayPort } of smtpPorts) {
      const isOurs = async () => /^220 .*\bsvc$/.test((await greetingOf(at, relayPort, implicitTls)) ?? "")
      checks.push(describe("SMTP port", address, relayPort, "SVC_SMTP_PORTS", isOurs))
    }
    if (inboundPort !== null) {
      const isOurs = async () =>
        /^220 .*\breports only$/.test((await greetingOf(at, inboundPort, false)) ?? "")
      checks.push(describe("inbound port", address, inboundPort, "SVC_INBOUND_PORT", isOurs))
    }
  }
  return Promise.all(checks)
}
