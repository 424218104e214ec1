/**
 * `svc sources`: shows and changes the addresses from which mail is sent.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { jsonFlag } from "../accounts.ts"
import { listAll, serverFlags, serverOf } from "../management.ts"
import { oneLine, print, printJson, table } from "../output.ts"

/** A source, as the commands show it. */
interface ShownSource {
  readonly id: string
  readonly address: string
  readonly name: string | null
  readonly pool: string
  readonly state: string
  readonly reason: string | null
  readonly warmUp: { readonly day: number; readonly days: number } | null
  readonly sentToday: number
  readonly capToday: number | null
  readonly hosts: ReadonlyArray<string>
  readonly spfMissing: ReadonlyArray<string> | null
  readonly ptr: {
    readonly wanted: string
    readonly names: ReadonlyArray<string>
    readonly confirmed: boolean
  } | null
}

const ptrOf = ({ ptr }: ShownSource): string => {
  if (ptr === null) return "not checked"
  if (ptr.confirmed) return oneLine(ptr.wanted)
  return oneLine(`${ptr.names.join(" ") || "none"}, wanted ${ptr.wanted}`)
}

const printSources = (sources: ReadonlyArray<ShownSource>) =>
  print(
    table([
      ["id", "address", "pool", "state", "day", "sent today", "reason", "machines", "PTR"],
      ...sources.map((one) => [
        one.id,
        one.address,
        one.pool,
        one.state,
        one.warmUp === null ? "-" : `${one.warmUp.day}/${one.warmUp.days}`,
        one.capToday === null ? String(one.sentToday) : `${one.sentToday}/${one.capToday}`,
        one.reason ?? "-",
        oneLine(one.hosts.join(" ") || "-"),
        ptrOf(one)
      ])
    ])
  )

/** Prints a source, and the domains whose SPF record does not list it. */
const printSource = Effect.fnUntraced(function* (source: ShownSource) {
  yield* printSources([source])
  const { spfMissing } = source
  if (spfMissing !== null && spfMissing.length > 0)
    yield* print(`SPF: the records of ${oneLine(spfMissing.join(", "))} do not list it`)
})

const idArgument = Argument.String("id").pipe(Argument.withDescription("Id of the source"))

const list = Command.make(
  "list",
  { json: jsonFlag, ...serverFlags },
  Effect.fnUntraced(function* ({ json, ...given }) {
    const server = yield* serverOf(given)
    const found = yield* listAll(server, (client, query) => client.sources.list(query))
    if (json) return yield* printJson(found)
    yield* printSources(found)
    const { record } = yield* server.manage((client) => client.sources.spf())
    if (record !== null) yield* print(`SPF: ${record.name} TXT "${record.value}"`)
  })
).pipe(Command.withDescription("List the addresses from which mail is sent, with the SPF record to publish"))

const add = Command.make(
  "add",
  {
    address: Argument.String("address").pipe(
      Argument.withDescription("An IPv4 or IPv6 address of a machine of the installation")
    ),
    name: Flag.String("name").pipe(
      Flag.optional,
      Flag.withDescription(
        "Host name in EHLO, which must be the name in its PTR record. Default: SVC_SMTP_HOST"
      )
    ),
    pool: Flag.String("pool").pipe(Flag.withDescription("Key of the pool"), Flag.withDefault("default")),
    force: Flag.Boolean("force").pipe(
      Flag.withDescription("Send without a confirmed PTR record (IPv4 only)"),
      Flag.withDefault(false)
    ),
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ address, force, json, name, pool, ...given }) {
    const server = yield* serverOf(given)
    const source = yield* server.manage((client) =>
      client.sources.create({ address, pool, force, name: Option.getOrNull(name) })
    )
    if (json) return yield* printJson(source)
    yield* printSource(source)
  })
).pipe(Command.withDescription("Add an address from which mail is sent, and check its PTR and SPF records"))

const act = (name: "check" | "pause" | "activate", description: string) =>
  Command.make(
    name,
    { id: idArgument, json: jsonFlag, ...serverFlags },
    Effect.fnUntraced(function* ({ id, json, ...given }) {
      const server = yield* serverOf(given)
      const source = yield* server.manage((client) => client.sources[name](id))
      if (json) return yield* printJson(source)
      yield* printSource(source)
    })
  ).pipe(Command.withDescription(description))

const warmUp = Command.make(
  "warm-up",
  {
    id: idArgument,
    day: Flag.Int("day").pipe(
      Flag.withDescription("Day of the warm-up plan with which to start"),
      Flag.withDefault(1)
    ),
    end: Flag.Boolean("end").pipe(
      Flag.withDescription("End the warm-up, so that the daily limit no longer applies"),
      Flag.withDefault(false)
    ),
    json: jsonFlag,
    ...serverFlags
  },
  Effect.fnUntraced(function* ({ day, end, id, json, ...given }) {
    const server = yield* serverOf(given)
    const source = yield* server.manage((client) => client.sources.warmUp(id, { day: end ? null : day }))
    if (json) return yield* printJson(source)
    yield* printSources([source])
  })
).pipe(Command.withDescription("Start or end the warm-up of an address, during which its daily volume grows"))

/** `svc sources`. */
export const sources = Command.make("sources").pipe(
  Command.withDescription("Manage the addresses from which mail is sent"),
  Command.withSubcommands([
    list,
    add,
    act("check", "Check the PTR and SPF records of an address now"),
    warmUp,
    act("pause", "Stop sending from an address"),
    act("activate", "Send from an address again")
  ])
)
