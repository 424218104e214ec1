/**
 * The whole HTTP face: every route, one app.
 *
 * @module
 */
import { Effect } from "effect"
import { makeApp } from "./App.ts"
import { contactsRoutes } from "./handlers/contacts.ts"
import { sendingRoutes } from "./handlers/sending.ts"
import { systemRoutes } from "./handlers/system.ts"
import { accountsRoutes, apiKeysRoutes, companiesRoutes } from "./management/accounts.ts"
import { peopleRoutes } from "./management/audience.ts"
import { domainsRoutes, emailsRoutes, suppressionsRoutes } from "./management/sending.ts"

/** The app of all routes, over the core's services and the ports it shows directly. */
export const app = Effect.flatMap(
  Effect.all([
    contactsRoutes,
    sendingRoutes,
    companiesRoutes,
    accountsRoutes,
    apiKeysRoutes,
    domainsRoutes,
    suppressionsRoutes,
    emailsRoutes,
    peopleRoutes,
    systemRoutes
  ]),
  (groups) => makeApp(groups.flat())
)
