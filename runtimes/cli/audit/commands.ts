/**
 * `svc audit`: lists and exports the audit log, and verifies its seals. The commands read the database directly, so that their
 * results do not depend on a running server.
 *
 * @module
 */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { jsonFlag } from "../accounts.ts"

/** Loaded on demand, because it imports the database engine. */
const work = Effect.promise(() => import("./onDatabase.ts"))

const company = Flag.String("company").pipe(
  Flag.optional,
  Flag.withDescription("Id of a company. Default: all companies and the installation"),
  Flag.withMetavar("id")
)

const action = Flag.String("action").pipe(
  Flag.optional,
  Flag.withDescription("An action such as api_key.revoked, or its first part, such as api_key"),
  Flag.withMetavar("name")
)

const filterOf = (given: {
  readonly company: Option.Option<string>
  readonly action: Option.Option<string>
}) => ({
  companyId: Option.getOrNull(given.company),
  action: Option.getOrNull(given.action)
})

const list = Command.make("list", { company, action, json: jsonFlag }, (given) =>
  Effect.flatMap(work, ({ listEntries }) => listEntries(filterOf(given), given.json))
).pipe(
  Command.withDescription("List the newest 50 entries of the audit log"),
  Command.withExamples([
    { command: "svc audit list" },
    { command: "svc audit list --action session.refused" }
  ])
)

const exported = Command.make(
  "export",
  {
    company,
    action,
    format: Flag.Literals("format", ["Ndjson", "Csv"]).pipe(
      Flag.withDescription("Output format"),
      Flag.withDefault("Ndjson")
    )
  },
  (given) => Effect.flatMap(work, ({ exportEntries }) => exportEntries(filterOf(given), given.format))
).pipe(
  Command.withDescription("Print all entries of the audit log, newest first, as NDJSON or CSV"),
  Command.withExamples([{ command: "svc audit export --format Csv" }])
)

const verify = Command.make("verify", { company, json: jsonFlag }, (given) =>
  Effect.flatMap(work, ({ verifySeals }) => verifySeals(Option.getOrNull(given.company), given.json))
).pipe(
  Command.withDescription(
    "Compare the entries of each company's audit log with their daily seals, and print the days that do not match. Needs the " +
      "secret key. Exit code 1 if a day does not match."
  ),
  Command.withShortDescription("Find days whose entries were changed"),
  Command.withExamples([{ command: "svc audit verify" }])
)

/** `svc audit`. */
export const audit = Command.make("audit").pipe(
  Command.withDescription("Read and verify the audit log. Works on the database, without a running server"),
  Command.withSubcommands([list, exported, verify])
)
