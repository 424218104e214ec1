/**
 * Keeps open connections in separate pools, so that a slow receiver does not use up the connections to others.
 *
 * @module
 */
import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"

/** The maximum number of idle connections in a pool. */
const maxIdle = 10
/** How long an idle connection is kept, in milliseconds. It is shorter than servers usually keep theirs. */
const idleMillis = 4_000
/** How long an unused pool is kept, in milliseconds. */
const unusedMillis = 30_000

interface Pool {
  readonly agent: HttpAgent
  users: number
  usedAt: number
}

/** Pools by name. */
export class Pools {
  readonly #pools = new Map<string, Pool>()
  readonly #ca: string | undefined
  readonly #timer: NodeJS.Timeout

  /** @param ca certificates that are trusted instead of the platform's, in PEM */
  constructor(ca: string | undefined) {
    this.#ca = ca
    this.#timer = setInterval(() => this.#sweep(performance.now() - unusedMillis), unusedMillis)
    this.#timer.unref()
  }

  /** Returns the agent of a pool, for one request. The caller must call `leave` after the request. */
  enter(name: string, secure: boolean): { readonly agent: HttpAgent; readonly leave: () => void } {
    const key = `${secure ? "https" : "http"} ${name}`
    let pool = this.#pools.get(key)
    if (pool === undefined) {
      pool = { agent: this.#make(secure), users: 0, usedAt: 0 }
      this.#pools.set(key, pool)
    }
    const entered = pool
    entered.users++
    return {
      agent: entered.agent,
      leave: () => {
        entered.users--
        entered.usedAt = performance.now()
      }
    }
  }

  /** Closes all connections. */
  close(): void {
    clearInterval(this.#timer)
    for (const { agent } of this.#pools.values()) agent.destroy()
    this.#pools.clear()
  }

  #make(secure: boolean): HttpAgent {
    const options = {
      keepAlive: true,
      maxFreeSockets: maxIdle,
      timeout: idleMillis,
      scheduling: "lifo"
    } as const
    return secure
      ? new HttpsAgent({ ...options, ...(this.#ca === undefined ? {} : { ca: this.#ca }) })
      : new HttpAgent(options)
  }

  #sweep(before: number): void {
    for (const [key, { agent, usedAt, users }] of this.#pools) {
      if (users > 0 || usedAt > before) continue
      agent.destroy()
      this.#pools.delete(key)
    }
  }
}
