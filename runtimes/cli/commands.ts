/**
 * Defines the command line `svc`: its commands and the report of a failed one.
 *
 * @module
 */
import { Cause, Effect, Exit } from "effect"
import { CliError, Command } from "effect/cli"
import { commandName } from "../../core/kernel/Names.ts"
import { explain } from "../server/explain.ts"
import { whyTooOld } from "../server/requirements.ts"
import { accounts } from "./accounts.ts"
import { audit } from "./audit/commands.ts"
import { backup, migrateStore, restore } from "./copies/commands.ts"
import { doctor } from "./doctor.ts"
import { keys } from "./keys.ts"
import { erasures } from "./erasures.ts"
import { login } from "./login/command.ts"
import { listen } from "./listen/command.ts"
import { logs } from "./logs.ts"
import { migrate } from "./migrate.ts"
import { exitCodes, note, oneLine, print } from "./output.ts"
import { keepingConsole, platform } from "./platform.ts"
import { secrets } from "./secrets.ts"
import { campaigns } from "./emails/campaigns.ts"
import { sendTest } from "./emails/sendTest.ts"
import { shaping } from "./shaping/shaping.ts"
import { sources } from "./shaping/sources.ts"
import { standing } from "./emails/standing.ts"
import { start } from "./start.ts"
import { tokens } from "./tokens.ts"
import { exportAccount, importAccount } from "./transfer.ts"
import { trigger } from "./emails/trigger.ts"
import { why } from "./explain/why.ts"
import { users } from "./users/commands.ts"
import { version } from "./version.ts"

const svc = Command.make(commandName).pipe(
  Command.withDescription(
    "The email platform that companies run themselves. Most commands call the management API of the running server. " +
      "The commands start, migrate, backup, restore, migrate-store, doctor, users, audit and secrets reset read the SVC_ " +
      "environment variables instead. Exit codes: 0 success, 1 failure, 2 invalid usage."
  ),
  Command.withSubcommands([
    start,
    migrate,
    backup,
    restore,
    migrateStore,
    doctor,
    secrets,
    accounts,
    keys,
    logs,
    erasures,
    login,
    tokens,
    users,
    audit,
    shaping,
    sources,
    standing,
    campaigns,
    sendTest,
    trigger,
    listen,
    why,
    exportAccount,
    importAccount
  ])
)

/** The usage error of effect's command line, on one line. */
const describeUsage = ({ commandPath, errors }: CliError.ShowHelp): string => {
  const [first] = errors
  const called = commandPath.join(" ")
  return first === undefined
    ? `${called}: a command is missing; see ${called} --help`
    : `${oneLine(first.message)}; see ${called} --help`
}

/** Reports a failure. Returns the exit code. */
const tell = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const error = Cause.squash(cause)
  if (CliError.isCliError(error)) {
    yield* note(`svc: ${error._tag === "ShowHelp" ? describeUsage(error) : oneLine(error.message)}`)
    return exitCodes.usage
  }
  const tag = error instanceof Error && "_tag" in error ? error._tag : undefined
  if (tag === "BadNews") return exitCodes.failed
  const isOurs = tag === "CommandFailed" || tag === "UsageFailed"
  yield* note(`svc: ${isOurs ? (error as Error).message : oneLine(explain(cause, "The command"))}`)
  return tag === "UsageFailed" ? exitCodes.usage : exitCodes.failed
})

/** Runs a command line. Returns the exit code. */
export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const refusal = whyTooOld(process.versions)
  if (refusal !== null) {
    yield* note(`svc: ${refusal}`)
    return exitCodes.failed
  }
  const help = keepingConsole()
  const exit = yield* Effect.exit(
    Command.runWith(svc, { version, renderErrors: false })(args).pipe(Effect.provide([platform, help.layer]))
  )
  if (Exit.isFailure(exit)) return yield* tell(exit.cause)
  if (help.text() !== "") yield* print(help.text())
  return exitCodes.ok
})
