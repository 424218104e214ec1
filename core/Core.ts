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
import { InstanceKeys } from "./accounts/InstanceKeys.ts"
import { Stats } from "./accounts/Stats.ts"
import { Events } from "./activity/Events.ts"
import { Happenings } from "./activity/Happenings.ts"
import { AccountExport } from "./archive/AccountExport.ts"
import { AccountImport } from "./archive/AccountImport.ts"
import { ContactFields } from "./audience/ContactFields.ts"
import { ContactLinks } from "./audience/ContactLinks.ts"
import { ContactPages } from "./audience/ContactPages.ts"
import { Contacts } from "./audience/Contacts.ts"
import { DoubleOptIn } from "./audience/DoubleOptIn.ts"
import { Erasure } from "./audience/Erasure.ts"
import { Segments } from "./audience/Segments.ts"
import { Imports } from "./audience/Imports.ts"
import { Topics } from "./audience/Topics.ts"
import { FlowReactions } from "./automation/FlowReactions.ts"
import { Flows } from "./automation/Flows.ts"
import { FlowTriggers } from "./automation/FlowTriggers.ts"
import { Items } from "./catalog/Items.ts"
import { TemplateItems } from "./catalog/TemplateItems.ts"
import { Orders } from "./commerce/Orders.ts"
import { Stores } from "./commerce/Stores.ts"
import { StoreSync } from "./commerce/StoreSync.ts"
import { makeHandlers } from "./jobs/handlers.ts"
import { Worker } from "./jobs/Worker.ts"
import { Domains } from "./sending/Domains.ts"
import { Relay } from "./relay/Relay.ts"
import { EmailEvents } from "./sending/EmailEvents.ts"
import { Emails } from "./sending/Emails.ts"
import { Reports } from "./sending/Reports.ts"
import { Suppressions } from "./sending/Suppressions.ts"
import { Templates } from "./sending/Templates.ts"
import { Tracking } from "./sending/Tracking.ts"
import { Ids } from "./shared/Ids.ts"
import { Webhooks } from "./webhooks/Webhooks.ts"

/** The use cases and the worker, over whatever adapters provide the ports. */
export const layer = Layer.mergeAll(
  AccountExport.layer,
  AccountImport.layer.pipe(Layer.provide(Accounts.layer)),
  Accounts.layer,
  Admission.layer,
  ApiKeys.layer,
  ContactFields.layer,
  ContactPages.layer,
  Contacts.layer,
  Domains.layer,
  DoubleOptIn.layer,
  Emails.layer,
  Erasure.layer,
  Events.layer,
  FirstStart.layer,
  Flows.layer,
  FlowTriggers.layer.pipe(Layer.provide(Contacts.layer)),
  Imports.layer,
  Items.layer,
  Orders.layer,
  Reports.layer,
  Segments.layer,
  Stats.layer,
  Stores.layer,
  StoreSync.layer.pipe(Layer.provide([Erasure.layer, Items.layer, Stores.layer])),
  Suppressions.layer,
  Templates.layer,
  Topics.layer,
  Tracking.layer,
  Webhooks.layer,
  Relay.layer.pipe(Layer.provide(Layer.merge(Admission.layer, Emails.layer))),
  Worker.layer(makeHandlers).pipe(Layer.provide(Layer.mergeAll(Contacts.layer, Emails.layer, Erasure.layer)))
).pipe(
  Layer.provideMerge(Layer.merge(ContactLinks.layer, TemplateItems.layer)),
  Layer.provideMerge(Happenings.layer.pipe(Layer.provideMerge(FlowReactions.layer))),
  Layer.provideMerge(EmailEvents.layer),
  Layer.provideMerge(Layer.merge(Ids.layer, InstanceKeys.layer))
)
