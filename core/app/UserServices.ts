/**
 * Wires the services of users. They require the services of the core, and the ports of passwords and one-time codes. Programs
 * that embed the core without users leave them out.
 *
 * @module
 */
import { Layer } from "effect"
import { AnonymousCalls } from "../users/signin/AnonymousCalls.ts"
import { Attempts } from "../users/Attempts.ts"
import { Devices } from "../users/Devices.ts"
import { Factors } from "../users/Factors.ts"
import { Members } from "../users/Members.ts"
import { OwnAccount } from "../users/OwnAccount.ts"
import { DeviceSignIn } from "../users/signin/DeviceSignIn.ts"
import { Passkeys } from "../users/passkeys/Passkeys.ts"
import { Providers } from "../users/providers/Providers.ts"
import { PasswordResets } from "../users/signin/PasswordResets.ts"
import { ProviderSignIn } from "../users/signin/ProviderSignIn.ts"
import { Passwords } from "../users/Passwords.ts"
import { Sessions } from "../users/Sessions.ts"
import { SignIn } from "../users/SignIn.ts"
import { Users } from "../users/Users.ts"

/** The use cases of users. */
export const layer = Layer.mergeAll(
  DeviceSignIn.layer,
  Members.layer,
  OwnAccount.layer,
  PasswordResets.layer,
  ProviderSignIn.layer,
  Users.layer
).pipe(
  Layer.provideMerge(SignIn.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      AnonymousCalls.layer,
      Attempts.layer,
      Devices.layer,
      Factors.layer,
      Passkeys.layer,
      Passwords.layer,
      Providers.layer,
      Sessions.layer
    )
  )
)
