/**
 * Measures the cost of a sign-in, whether it delays other calls, whether its duration reveals if an address belongs to a user,
 * and the cost of authenticating a call by session compared with a key and a token. Uses the embedded service over its own
 * PostgreSQL.
 *
 * @module
 */
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { Layer, Tracer } from "effect"
import { goodPassword, joinCompany, openBrowser } from "../support/browser.ts"
import { call } from "../support/client.ts"
import { startPostgresServer } from "../support/postgresServer.ts"
import { makeStatementCounter } from "../support/statements.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { manage, openWorkspace } from "../support/workspace.ts"

const samples = Number(process.env["BENCH_SAMPLES"] ?? 200)
const signIns = 40
const calls = 400

const sorted = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)
const at = (values: ReadonlyArray<number>, share: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))]!

/**
 * How well a threshold on the duration distinguishes known from unknown addresses: 0.5 for not at all, 1 or 0 for perfectly. It
 * is the area under the ROC curve.
 */
const areaUnderCurve = (known: ReadonlyArray<number>, unknown: ReadonlyArray<number>): number => {
  const wins = known.map((one) =>
    unknown.reduce((sum, other) => sum + (one > other ? 1 : one === other ? 0.5 : 0), 0)
  )
  return wins.reduce((sum, one) => sum + one, 0) / (known.length * unknown.length)
}

const timed = async (run: () => Promise<unknown>): Promise<number> => {
  const from = performance.now()
  await run()
  return performance.now() - from
}

const print = (name: string, text: string): void => console.log(`${name.padEnd(52)} ${text}`)

/**
 * The durations of a call for known and unknown addresses, alternately. Each address is used once, so that no attempt has to
 * wait.
 */
const compare = async (
  target: Target,
  path: string,
  bodyOf: (email: string) => object,
  known: ReadonlyArray<string>
) => {
  const times = { known: [] as Array<number>, unknown: [] as Array<number> }
  const ask = (email: string) => timed(() => openBrowser(target).send("POST", path, bodyOf(email)))
  for (const [index, email] of known.entries()) {
    const stranger = `stranger-${index}-${path.length}@people.example`
    const order = index % 2 === 0 ? (["known", "unknown"] as const) : (["unknown", "known"] as const)
    for (const kind of order) times[kind].push(await ask(kind === "known" ? email : stranger))
  }
  const area = areaUnderCurve(times.known, times.unknown)
  print(
    `POST ${path}, ${known.length} each`,
    `known p50 ${at(times.known, 0.5).toFixed(1)} ms   unknown p50 ${at(times.unknown, 0.5).toFixed(1)} ms   AUC ${area.toFixed(3)}`
  )
}

/** Measures and prints the results. */
export const benchSignIn = async (): Promise<void> => {
  const { take, tracer } = makeStatementCounter()
  const server = await startPostgresServer()
  const target = await startEmbedded({
    store: { url: server.url },
    replaced: Layer.succeed(Tracer.Tracer, tracer)
  })
  try {
    const workspace = await openWorkspace(target, "Sign-in")
    const { browser } = await joinCompany(target, workspace.companyId, "ada@people.example")
    const signIn = () =>
      openBrowser(target).send("POST", "/session/password", {
        email: "ada@people.example",
        password: goodPassword
      })
    await signIn()

    const [from, used] = [performance.now(), process.cpuUsage()]
    for (let index = 0; index < signIns; index++) await signIn()
    const { system, user } = process.cpuUsage(used)
    print(
      `a sign-in by password, of ${signIns}`,
      `${((performance.now() - from) / signIns).toFixed(0)} ms, processor ${((system + user) / 1000 / signIns).toFixed(0)} ms`
    )

    const { accountId } = workspace.live
    const issued = await browser.send<{ token: string }>("POST", "/me/tokens", {
      name: "Bench",
      expiresInDays: 1
    })
    const path = `/manage/v1/accounts/${accountId}/segments`
    const callers = {
      "a call by an API key": () => call(target, "GET", "/api/v1/segments", { token: workspace.live.key }),
      "a call by a session": () => browser.send("GET", `/accounts/${accountId}/segments`),
      "a call by a personal token": () => call(target, "GET", path, { token: issued.value.token }),
      "a call by the management token": () => call(target, "GET", path, { token: target.managementToken })
    }
    const delay = monitorEventLoopDelay({ resolution: 1 })
    for (const [name, one] of Object.entries(callers)) {
      for (let index = 0; index < 50; index++) await one()
      take()
      const before = process.cpuUsage()
      const times = []
      for (let index = 0; index < calls; index++) times.push(await timed(one))
      const cpu = process.cpuUsage(before)
      print(
        name,
        `p50 ${at(times, 0.5).toFixed(2)} ms   processor ${((cpu.user + cpu.system) / 1000 / calls).toFixed(2)} ms   ${(take() / calls).toFixed(2)} statements`
      )
    }

    /** The longest time that the thread was blocked, while calls are made with a key. */
    const loop = async (isBusy: () => boolean) => {
      delay.reset()
      delay.enable()
      const times = []
      while (times.length < calls || isBusy()) {
        times.push(await timed(callers["a call by an API key"]))
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      delay.disable()
      return `call p50 ${at(times, 0.5).toFixed(1)} ms   p99 ${at(times, 0.99).toFixed(1)} ms   thread busy p99 ${(delay.percentile(99) / 1e6 - 1).toFixed(1)} ms, at most ${(delay.max / 1e6 - 1).toFixed(1)} ms`
    }
    print("calls alone", await loop(() => false))
    for (const atOnce of [1, 4]) {
      let open = signIns
      let isOver = false
      const during = Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (open-- > 0) await signIn()
        })
      ).finally(() => {
        isOver = true
      })
      print(`calls beside ${signIns} sign-ins, ${atOnce} at a time`, await loop(() => !isOver))
      await during
    }

    const known: Array<string> = []
    for (let index = 0; index < samples; index++) {
      const email = `person-${index}@people.example`
      await manage(target, "POST", `/companies/${workspace.companyId}/members`, {
        json: { email, role: "Viewer" }
      })
      known.push(email)
    }
    await compare(target, "/session/start", (email) => ({ email }), known)
    await compare(target, "/session/password", (email) => ({ email, password: `${goodPassword}-x` }), known)
    await compare(target, "/password-resets", (email) => ({ email }), known)
  } finally {
    await target.stop()
    await server.remove()
  }
}
