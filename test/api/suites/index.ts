/**
 * Every black-box suite, run against one service.
 *
 * @module
 */
import { afterAll, beforeAll, describe } from "vitest"
import type { Target } from "../../support/targets.ts"
import { authenticationSuite } from "./authentication.ts"
import { consentSuite } from "./consent.ts"
import { contactIdentitySuite } from "./contactIdentity.ts"
import { contactsSuite } from "./contacts.ts"
import { emailsSuite } from "./emails.ts"
import { envelopeSuite } from "./envelope.ts"
import { fuzzSuite } from "./fuzz.ts"
import { hostileInputSuite } from "./hostileInput.ts"
import { idempotencySuite } from "./idempotency.ts"
import { managementSuite } from "./management.ts"
import { managementKeysSuite } from "./managementKeys.ts"
import { managementSendingSuite } from "./managementSending.ts"
import { rateLimitsSuite } from "./rateLimits.ts"

/** Starts a service, runs every suite against it, stops it. */
export const blackBoxSuites = (name: string, start: () => Promise<Target>) =>
  describe(name, () => {
    let running: Target | undefined
    const target = () => {
      if (running === undefined) throw new Error("The service is not running.")
      return running
    }
    beforeAll(async () => {
      running = await start()
    })
    afterAll(() => running?.stop())

    envelopeSuite(target)
    authenticationSuite(target)
    rateLimitsSuite(target)
    contactsSuite(target)
    contactIdentitySuite(target)
    consentSuite(target)
    emailsSuite(target)
    idempotencySuite(target)
    managementSuite(target)
    managementKeysSuite(target)
    managementSendingSuite(target)
    hostileInputSuite(target)
    fuzzSuite(target)
  })
