/**
 * `svc login`: obtains a personal token with a code that the user confirms in a browser (RFC 8628).
 *
 * @module
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { spawn } from "node:child_process"
import { keepLogin } from "./logins.ts"
import { baseUrlOf, serverAt, serverFlags } from "../management.ts"
import { CommandFailed, oneLine, print } from "../output.ts"

/** Opens a URL in the browser, if the user is at a terminal. If that fails, the user can still open the printed URL. */
const open = (url: string): Effect.Effect<void> =>
  Effect.sync(() => {
    if (process.stdout.isTTY !== true || !/^https?:\/\/[^"'`\s]+$/.test(url)) return
    const program = process.platform === "darwin" ? "open" : "xdg-open"
    if (process.platform === "win32") return
    const child = spawn(program, [url], { detached: true, stdio: "ignore" })
    child.once("error", () => undefined)
    child.unref()
  })

export const login = Command.make(
  "login",
  { url: serverFlags.url },
  Effect.fnUntraced(function* (choice) {
    const baseUrl = yield* baseUrlOf(choice)
    const server = yield* serverAt(baseUrl, "none")
    const device = yield* server.manage((client) => client.device.begin())
    const { deviceCode, expiresIn, interval, userCode, verificationUrl } = device
    yield* print(`Open ${oneLine(verificationUrl)} and confirm the code ${oneLine(userCode)}`)
    yield* open(verificationUrl)
    const wait = Math.max(1, interval)
    for (let waited = 0; waited <= expiresIn; waited += wait) {
      yield* Effect.sleep(`${wait} seconds`)
      const asked = server.manage((client) => client.device.token({ deviceCode }))
      const token = yield* Effect.catch(asked, (error) =>
        error.message.includes("(users.device_pending)") ? Effect.succeed(null) : Effect.fail(error)
      )
      if (token === null) continue
      const path = yield* keepLogin(baseUrl, token.token).pipe(
        Effect.mapError(
          () =>
            new CommandFailed({ message: "The token could not be written to the configuration directory" })
        )
      )
      return yield* print(`Signed in to ${baseUrl}; the token is in ${path}`)
    }
    return yield* CommandFailed.of("The code was not confirmed in time: run svc login again")
  })
).pipe(
  Command.withDescription(
    "Sign in with a browser and store a personal token. The token has the rights of the user and is valid for 90 days. " +
      "Commands that call the server use it unless another token is given. It is stored in $XDG_CONFIG_HOME/svc or " +
      "~/.config/svc, where only the user can read it. DELETE /manage/v1/me/tokens/{id} revokes it."
  ),
  Command.withShortDescription("Sign in and store a personal token"),
  Command.withExamples([{ command: "svc login --url https://mail.example.org" }])
)
