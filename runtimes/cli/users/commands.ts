/**
 * `svc users`: lists, invites, disables, signs out and resets users. The commands use the database directly, so that they also
 * help if no user can sign in.
 *
 * @module
 */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { jsonFlag } from "../accounts.ts"
import { UsageFailed } from "../output.ts"

/** Loaded on demand, because it imports the database engine. */
const work = Effect.promise(() => import("./onDatabase.ts"))

const email = Argument.String("email").pipe(Argument.withDescription("Address of the user"))

const list = Command.make("list", { json: jsonFlag }, ({ json }) =>
  Effect.flatMap(work, ({ listUsers }) => listUsers(json))
).pipe(
  Command.withDescription("List the users of the installation"),
  Command.withExamples([{ command: "svc users list" }])
)

const invite = Command.make(
  "invite",
  {
    operator: Flag.Boolean("operator").pipe(
      Flag.withDescription(
        "Required. Invite an operator of the installation. Owners of a company invite its members in the dashboard"
      ),
      Flag.withDefault(false)
    ),
    email
  },
  Effect.fnUntraced(function* ({ email: address, operator }) {
    if (!operator) {
      return yield* UsageFailed.of(
        "svc users invite requires --operator. Owners of a company invite its members in the dashboard"
      )
    }
    const { inviteOperator } = yield* work
    return yield* inviteOperator(address)
  })
).pipe(
  Command.withDescription(
    "Invite an operator and print the set-up link, which is valid for 72 hours and can be used once. A user who has a " +
      "password becomes an operator immediately. If the first company has no members yet, the operator also becomes its " +
      "Owner."
  ),
  Command.withShortDescription("Invite an operator with a link"),
  Command.withExamples([{ command: "svc users invite --operator ada@example.org" }])
)

const disable = Command.make("disable", { email }, ({ email: address }) =>
  Effect.flatMap(work, ({ disableUser }) => disableUser(address))
).pipe(
  Command.withDescription(
    "Disable a user. All sessions of the user end immediately on every node. The last operator, and the last Owner of a company, cannot be disabled."
  ),
  Command.withShortDescription("Disable a user immediately"),
  Command.withExamples([{ command: "svc users disable ada@example.org" }])
)

const signOut = Command.make("sign-out", { email }, ({ email: address }) =>
  Effect.flatMap(work, ({ signOutUser }) => signOutUser(address))
).pipe(
  Command.withDescription("End all sessions of a user immediately on every node"),
  Command.withExamples([{ command: "svc users sign-out ada@example.org" }])
)

const reset = Command.make("reset", { email }, ({ email: address }) =>
  Effect.flatMap(work, ({ resetUser }) => resetUser(address))
).pipe(
  Command.withDescription(
    "Print a link with which a user sets a new password. The link is valid for one hour and can be used once. The old " +
      "password works until the new one is set."
  ),
  Command.withShortDescription("Print a link to set a new password"),
  Command.withExamples([{ command: "svc users reset ada@example.org" }])
)

/** `svc users`. */
export const users = Command.make("users").pipe(
  Command.withDescription("Manage the users who sign in. Works on the database, without a running server"),
  Command.withSubcommands([list, invite, disable, signOut, reset])
)
