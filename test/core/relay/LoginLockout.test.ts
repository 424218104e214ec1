/** Tests which addresses share a count of failed logins to the relay. */
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { loginLimits } from "../../../core/relay/LoginLockout.ts"
import { Bootstrap } from "../../../core/accounts/Bootstrap.ts"
import { Relay } from "../../../core/relay/Relay.ts"
import { makeFakeTransport } from "../../support/fakeTransport.ts"
import { wholeCore } from "../../support/wholeCore.ts"

const attempts: ReadonlyArray<
  readonly [name: string, failing: (count: number) => string, locked: ReadonlyArray<string>, free: string]
> = [
  [
    "the addresses of an IPv6 /64",
    (count) => `2001:db8:1:2::${count}`,
    ["2001:db8:1:2:ffff::1", "2001:DB8:1:2::1"],
    "2001:db8:1:3::1"
  ],
  [
    "an IPv4 address and its mapped form",
    () => "::ffff:192.0.2.1",
    ["192.0.2.1", "::ffff:c000:201"],
    "192.0.2.2"
  ],
  ["an IPv4 address, and no other of its network", () => "192.0.2.1", ["192.0.2.1"], "192.0.2.3"]
]

it.effect.each(attempts)("failed logins of %s are counted together", ([, failing, locked, free]) =>
  Effect.gen(function* () {
    // Logs contain the hash of a network, whose key the first start creates.
    yield* (yield* Bootstrap).prepare(0)
    const relay = yield* Relay
    const loginFrom = (address: string) => Effect.map(relay.login(address, "wrong"), ({ _tag }) => _tag)
    for (let count = 0; count < loginLimits.maxFailures; count++)
      expect(yield* loginFrom(failing(count))).toBe("Refused")
    for (const address of locked) expect(yield* loginFrom(address)).toBe("LockedOut")
    expect(yield* loginFrom(free)).toBe("Refused")
  }).pipe(Effect.provide(wholeCore({ act: Effect.void }, makeFakeTransport())))
)
