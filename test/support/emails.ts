/**
 * Only the use cases of email, over any storage.
 *
 * @module
 */
import { Layer } from "effect"
import * as Crypto from "../../adapters/crypto/Crypto.ts"
import * as TemplateEngine from "../../adapters/templates/TemplateEngine.ts"
import * as Threads from "../../adapters/threads/Threads.ts"
import { AuditTrail } from "../../core/accounts/AuditTrail.ts"
import { AddressHash } from "../../core/audience/contacts/AddressHash.ts"
import { TemplateItems } from "../../core/catalog/TemplateItems.ts"
import { Emails } from "../../core/sending/emails/Emails.ts"
import { Ids } from "../../core/kernel/Ids.ts"
import type { StoragePorts } from "../contract/fixtures.ts"
import { installationKeys } from "./keys.ts"

const keys = installationKeys(new Uint8Array(32))

/** `Emails` with its storage ports. */
export const emailsOver = <E>(storage: Layer.Layer<StoragePorts, E>) =>
  Emails.layer.pipe(
    Layer.provide([AddressHash.layer, AuditTrail.layer]),
    Layer.provideMerge(Layer.mergeAll(Ids.layer, keys, TemplateItems.layer)),
    Layer.provide([Crypto.layer, TemplateEngine.layer.pipe(Layer.provide(Threads.layer()))]),
    Layer.provideMerge(storage)
  )
