/**
 * Implements every storage port in the memory of one process, for tests, for trials, and for data that need not outlive the
 * process. It enforces the same constraints as the database adapters.
 *
 * @module
 */
import { Layer } from "effect"
import { Database } from "./engine/Database.ts"
import * as layers from "./layers.ts"
import { AttemptTables } from "./tables/AttemptTables.ts"
import { AudienceTables } from "./tables/AudienceTables.ts"
import { CampaignTables } from "./tables/CampaignTables.ts"
import { CommerceTables } from "./tables/CommerceTables.ts"
import { ConversionTables } from "./tables/ConversionTables.ts"
import { ExportTables } from "./tables/ExportTables.ts"
import { SharedTables } from "./tables/SharedTables.ts"
import { SubmissionTables } from "./tables/SubmissionTables.ts"
import { UserTables } from "./tables/UserTables.ts"
import { VisitTables } from "./tables/VisitTables.ts"

const [first, ...others] = Object.values(layers)

/** All storage ports over a {@link Database}. */
export const layerOver = Layer.mergeAll(first!, ...others).pipe(
  Layer.provide([layers.AccountStore, layers.DomainStore, layers.JobQueue, layers.SuppressionStore]),
  Layer.provide([
    SharedTables.layer,
    AttemptTables.layer,
    AudienceTables.layer,
    CommerceTables.layer,
    ConversionTables.layer,
    ExportTables.layer,
    SubmissionTables.layer,
    UserTables.layer
  ]),
  Layer.provide(VisitTables.layer),
  Layer.provide(CampaignTables.layer)
)

/** All storage ports over one new, empty database. Each build of the layer creates its own. */
export const layer = layerOver.pipe(Layer.provide(Database.layer))
