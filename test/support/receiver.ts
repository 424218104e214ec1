/**
 * A receiver of webhooks: an HTTP server that stores the requests and responds as the test specifies.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { vi } from "vitest"
import { makeOpenApi } from "../../adapters/http/schema/openapi/OpenApi.ts"
import { eventually } from "./client.ts"
import { makeWebhookCheck } from "./contract.ts"

/** A request that arrived. */
export interface Received {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** The raw body. */
  readonly body: string
  /** The parsed body. */
  readonly json: {
    readonly id: string
    readonly type: string
    readonly created_at: string
    readonly data: Readonly<Record<string, string>>
  }
  /** Epoch milliseconds. */
  readonly at: number
  /** Identifies the connection. */
  readonly connection: number
}

/** How the receiver responds: with a status, or by a function. */
export type Behaviour = number | ((response: ServerResponse, request: Received) => void)

/** A path whose requests hang. */
export interface Hanging {
  /** The most requests that hung at the same time. */
  readonly peak: () => number
  /** How many requests the client aborted. */
  readonly givenUp: () => number
  /** Responds to the hanging requests and to all later ones. */
  readonly release: () => void
}

export interface Receiver {
  /** The base URL, without a slash at its end. */
  readonly url: string
  readonly port: number
  /** The requests to a path, oldest first; all requests without one. */
  readonly received: (path?: string) => ReadonlyArray<Received>
  /** The requests to a path once there are at least `count`; after a time limit, those received so far. */
  readonly awaited: (path: string, count: number) => Promise<ReadonlyArray<Received>>
  /** Sets how a path responds; 204 by default. */
  readonly answer: (path: string, behaviour: Behaviour) => void
  /** Stops responding at a path. */
  readonly hang: (path: string) => Hanging
  readonly stop: () => Promise<void>
}

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

const parse = (body: string): Received["json"] => {
  try {
    return JSON.parse(body) as Received["json"]
  } catch {
    return { id: "", type: "", created_at: "", data: {} }
  }
}

let checkWebhook: ReturnType<typeof makeWebhookCheck> | undefined

/** Returns a request whose body follows the contract; throws otherwise. */
const keepingContract = (arrived: Received): Received => {
  checkWebhook ??= makeWebhookCheck(makeOpenApi("http://localhost"))
  const faults = checkWebhook(arrived.json)
  if (faults.length > 0)
    throw new Error([`A webhook breaks the contract: ${arrived.body}`, ...faults].join("\n  "))
  return arrived
}

/** Verifies the signature with both libraries, at the service's time. Each throws if it rejects the signature. */
export const verifyWebhook = (secret: string, { body, headers }: Received, now: number): unknown => {
  vi.useFakeTimers({ toFake: ["Date"], now })
  try {
    new SvixWebhook(secret).verify(body, headers)
    return new StandardWebhook(secret).verify(body, headers)
  } finally {
    vi.useRealTimers()
  }
}

/** Starts a receiver on a free port of 127.0.0.1. */
export const startReceiver = async (): Promise<Receiver> => {
  const all: Array<Received> = []
  const behaviours = new Map<string, Behaviour>()
  const connections = new WeakMap<object, number>()
  let lastConnection = 0
  const server = createServer((request, response) => {
    void (async () => {
      const body = await read(request)
      const arrived: Received = {
        path: request.url ?? "",
        method: request.method ?? "",
        headers: request.headers as Record<string, string>,
        body,
        json: parse(body),
        at: Date.now(),
        connection: connections.get(request.socket) ?? 0
      }
      all.push(arrived)
      const behaviour = behaviours.get(arrived.path) ?? 204
      if (typeof behaviour === "number") response.writeHead(behaviour).end()
      else behaviour(response, arrived)
    })()
  })
  server.on("connection", (socket) => connections.set(socket, ++lastConnection))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const received = (path?: string) =>
    all.filter((one) => path === undefined || one.path === path).map(keepingContract)
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    awaited: (path, count) =>
      eventually(
        () => Promise.resolve(received(path)),
        (some) => some.length >= count
      ),
    answer: (path, behaviour) => behaviours.set(path, behaviour),
    hang: (path) => {
      const held = new Set<ServerResponse>()
      let peak = 0
      let givenUp = 0
      behaviours.set(path, (response) => {
        held.add(response)
        peak = Math.max(peak, held.size)
        response.once("close", () => {
          if (held.delete(response)) givenUp++
        })
      })
      return {
        peak: () => peak,
        givenUp: () => givenUp,
        release: () => {
          behaviours.set(path, 204)
          const left = [...held]
          held.clear()
          for (const response of left) response.writeHead(204).end()
        }
      }
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      })
  }
}
