/**
 * Issues a personal token to a program on another device, such as the command line, after the signed-in user confirms its code
 * (RFC 8628, docs/contributing/people.md 3).
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { PublicEndpoint } from "../../kernel/PublicEndpoint.ts"
import { noAccount } from "../../model/Account.ts"
import type { SignInStep } from "../../model/SignInStep.ts"
import { Crypto } from "../../ports/Crypto.ts"
import { SignInStepStore } from "../../ports/SignInStepStore.ts"
import { UserStore } from "../../ports/UserStore.ts"
import { toBase64Url } from "../../shared/Bytes.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import { Attempts } from "../Attempts.ts"
import { requireWhole } from "../OwnAccount.ts"
import { actorIn, actorOfSession, type Authenticated, type Browser } from "../Sessions.ts"
import { type IssuedToken, Tokens } from "../Tokens.ts"
import { codeBytes, comparableCode, userCodeOf } from "./DeviceRules.ts"

/** How long a code is valid, milliseconds. */
export const deviceMillis = 600_000

/** How long a program must wait between two calls, seconds. */
export const deviceInterval = 5

/** How long the token of a device is valid, days. */
export const deviceTokenDays = 90

const deviceBytes = 32
const devicePattern = /^[\w-]{43}$/

/** A device that waits for its user. */
export interface WaitingDevice {
  readonly deviceCode: string
  readonly userCode: string
  /** Where the user enters the code. */
  readonly verificationUrl: string
}

/** Signs devices in. */
export class DeviceSignIn extends Context.Service<
  DeviceSignIn,
  {
    /** Starts the sign-in of a device. */
    readonly begin: Effect.Effect<WaitingDevice, Unavailable>
    /**
     * Confirms the code that a device shows, in a session that was recently confirmed by a factor. users.code_invalid,
     * users.too_many_attempts, users.confirmation_required.
     */
    readonly confirm: (
      caller: Authenticated,
      userCode: string,
      browser: Browser
    ) => Effect.Effect<void, Problem | Unavailable>
    /** The token of a confirmed device, once; users.device_pending, users.device_expired, tokens.limit_reached. */
    readonly poll: (deviceCode: string, browser: Browser) => Effect.Effect<IssuedToken, Problem | Unavailable>
  }
>()("svc/users/DeviceSignIn") {
  static readonly layer = Layer.effect(
    DeviceSignIn,
    Effect.gen(function* () {
      const atomically = yield* Atomically
      const attempts = yield* Attempts
      const crypto = yield* Crypto
      const steps = yield* SignInStepStore
      const tokens = yield* Tokens
      const users = yield* UserStore
      const { record } = yield* AuditTrail
      const { baseUrl } = yield* PublicEndpoint

      const hashOfCode = (code: string): string => crypto.sha256Hex(`device code ${code}`)
      /** The hash under which the approval of a device is stored, from the code of the device. */
      const hashOfApproval = (device: string): string => crypto.sha256Hex(`approved ${device}`)

      return DeviceSignIn.of({
        begin: Effect.gen(function* () {
          const createdAt = yield* Clock.currentTimeMillis
          const deviceCode = toBase64Url(crypto.randomBytes(deviceBytes))
          const userCode = userCodeOf(crypto.randomBytes(codeBytes))
          const device = crypto.sha256Hex(deviceCode)
          const step = { userId: null, data: "", expiresAt: createdAt + deviceMillis, createdAt }
          yield* steps.insert([
            { ...step, hash: device, kind: "Device" },
            { ...step, hash: hashOfCode(comparableCode(userCode)), kind: "DeviceCode", data: device }
          ])
          return { deviceCode, userCode, verificationUrl: `${baseUrl()}/app/device` }
        }),
        confirm: Effect.fn("DeviceSignIn.confirm")(function* (caller, userCode, { origin }) {
          yield* requireWhole(caller)
          const { session, user } = caller
          const confirmed = Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const taken = yield* steps.take("DeviceCode", hashOfCode(comparableCode(userCode)), now)
            if (taken === null) return yield* Problem.of("users.code_invalid", "userCode")
            const approval: SignInStep = {
              ...taken,
              hash: hashOfApproval(taken.data),
              kind: "DeviceApproval",
              userId: user.id
            }
            yield* steps.insert([approval])
            yield* record(actorOfSession(caller), {
              accountId: noAccount,
              action: "user.device_confirmed",
              target: user.id,
              before: null,
              after: { network: origin.network }
            })
          })
          // Counted per session, like other codes.
          yield* attempts.run(
            { email: user.email, origin, device: `device of ${session.id}` },
            atomically(confirmed)
          )
        }),
        poll: Effect.fn("DeviceSignIn.poll")(function* (deviceCode, browser) {
          const expired = Problem.of("users.device_expired")
          if (!devicePattern.test(deviceCode)) return yield* expired
          const device = crypto.sha256Hex(deviceCode)
          return yield* atomically(
            Effect.gen(function* () {
              const now = yield* Clock.currentTimeMillis
              if ((yield* steps.find("Device", device, now)) === null) return yield* expired
              const approval = yield* steps.take("DeviceApproval", hashOfApproval(device), now)
              if (approval === null) return yield* Problem.of("users.device_pending")
              const [user] = yield* users.find([approval.userId ?? ""])
              yield* steps.take("Device", device, now)
              if (user?.status !== "Active") return yield* expired
              const calling = { userId: user.id, name: user.name ?? user.email, isOperator: user.isOperator }
              return yield* tokens.create(
                { companyId: null, userId: user.id },
                { name: "Command line", rights: null, expiresInDays: deviceTokenDays },
                {
                  actor: actorIn(user, browser),
                  caller: {
                    _tag: "PersonalToken",
                    tokenId: "",
                    name: "",
                    rights: null,
                    user: { ...calling, memberships: [], openedCompanies: [] }
                  }
                }
              )
            })
          )
        })
      })
    })
  )
}
