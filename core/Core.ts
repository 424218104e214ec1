/**
 * Every service of the core, wired. Needs only ports.
 *
 * @module
 */
import { Layer } from "effect"
import { Accounts } from "./accounts/Accounts.ts"
import { Admission } from "./accounts/Admission.ts"
import { ApiKeys } from "./accounts/ApiKeys.ts"
import { FirstStart } from "./accounts/FirstStart.ts"
import { Contacts } from "./audience/Contacts.ts"
import { makeHandlers } from "./jobs/handlers.ts"
import { Worker } from "./jobs/Worker.ts"
import { Domains } from "./sending/Domains.ts"
import { Emails } from "./sending/Emails.ts"
import { Suppressions } from "./sending/Suppressions.ts"
import { Ids } from "./shared/Ids.ts"

/** The use cases and the worker, over whatever adapters provide the ports. */
export const layer = Layer.mergeAll(
  Accounts.layer,
  Admission.layer,
  ApiKeys.layer,
  Contacts.layer,
  Domains.layer,
  Emails.layer,
  FirstStart.layer,
  Suppressions.layer,
  Worker.layer(makeHandlers)
).pipe(Layer.provideMerge(Ids.layer))
