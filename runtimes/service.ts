/**
 * The service over some store: the core, the adapters that are the same everywhere, the HTTP app. Runtimes add what
 * listens.
 *
 * @module
 */
import { Layer } from "effect"
import * as Crypto from "../adapters/crypto/Crypto.ts"
import * as CsvReader from "../adapters/csv/CsvReader.ts"
import * as MessageComposer from "../adapters/mail/MessageComposer.ts"
import * as MailTransport from "../adapters/sandbox/MailTransport.ts"
import { ManagementToken } from "../core/accounts/ManagementToken.ts"
import * as Core from "../core/Core.ts"
import type { Redacted } from "effect"

/** Every service, over the storage ports. `adminToken` takes the place of the first start's management token. */
export const serviceLayer = (adminToken: Redacted.Redacted | null) =>
  Layer.mergeAll(Core.layer, ManagementToken.layer(adminToken)).pipe(
    Layer.provideMerge(MailTransport.layer),
    Layer.provideMerge(Layer.mergeAll(Crypto.layer, CsvReader.layer, MessageComposer.layer))
  )
