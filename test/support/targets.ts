/**
 * The services that the black-box suites run against: in process, or a process of its own.
 *
 * @module
 */
import { type Options, start } from "../../runtimes/embedded/index.ts"
import { freshFolder, type Runtime, startServer } from "./serverProcess.ts"

/** A running service. */
export interface Target {
  readonly name: string
  readonly baseUrl: string
  readonly managementToken: string
  /** The account of the first start, with a key that has every permission. */
  readonly sandbox: { readonly accountId: string; readonly apiKey: string }
  /** Sends a request; the path begins with a slash. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** The service's time, epoch milliseconds. */
  readonly now: () => number
  /** Moves the service's clock and does what falls due; null where the clock is the machine's. */
  readonly advance: ((duration: "1 minute" | "31 days" | "2 minutes") => Promise<void>) | null
  /** Stops the service and removes its data. */
  readonly stop: () => Promise<void>
}

/** Starts the service in this process. */
export const startEmbedded = async (options: Options = {}): Promise<Target> => {
  const service = await start(options)
  return {
    name: "embedded",
    baseUrl: service.baseUrl,
    managementToken: service.managementToken,
    sandbox: service.sandbox,
    fetch: (path, init) => service.fetch(new Request(service.baseUrl + path, init)),
    now: service.now,
    advance: service.advance,
    stop: service.close
  }
}

const stopMillis = 10_000

/** Starts a server process. `store` is a value of `SVC_STORE`: `memory`, `embedded` or a Postgres URL. */
export const startProcess = async (runtime: Runtime, store: string): Promise<Target> => {
  const folder = await freshFolder()
  const server = startServer(runtime, folder.path, { SVC_STORE: store })
  const stop = async () => {
    server.signal("SIGTERM")
    const killing = setTimeout(() => server.signal("SIGKILL"), stopMillis)
    await server.ended
    clearTimeout(killing)
    await folder.remove()
  }
  try {
    const { baseUrl, managementToken, sandbox } = await server.ready()
    if (managementToken === null || sandbox === null) throw new Error("The store was not empty.")
    return {
      name: runtime,
      baseUrl,
      managementToken,
      sandbox,
      fetch: async (path, init) => {
        try {
          return await fetch(baseUrl + path, init)
        } catch (cause) {
          const output = `${server.out()}\n${server.err()}`
          throw new Error(`${init?.method ?? "GET"} ${path} got no answer.\n${output}`, { cause })
        }
      },
      now: Date.now,
      advance: null,
      stop
    }
  } catch (error) {
    await stop()
    throw error
  }
}
