/**
 * Runs the benchmarks and prints ratios. Absolute results depend on the machine; ratios do so less.
 *
 * `npm run bench` runs all benchmarks, `npm run bench -- api` only the named ones. BENCH_ROUNDS and BENCH_MILLIS set the number
 * of alternating rounds and the duration of a measurement. Some take a number: `load 10` loads for ten minutes, and `loadShared
 * 10` does so with SMTP messages within the quota; `growth 1000000` grows tables from that many rows to 50 times as many; `lists
 * 1000000` lists over a million people; `migration 5000000` migrates that many rows of each table; `campaign 100000` sends a
 * campaign to a hundred thousand people.
 *
 * @module
 */
import { benchApi } from "./api.ts"
import { benchCampaign } from "./campaign.ts"
import { benchCampaignPace } from "./campaignPace.ts"
import { benchContactWrites } from "./contactWrites.ts"
import { benchContactsBatch } from "./contactsBatch.ts"
import { benchDashboard } from "./dashboard.ts"
import { benchDemand } from "./demand.ts"
import { benchEvents } from "./events.ts"
import { benchFlows } from "./flows.ts"
import { benchFullLoad } from "./fullLoad.ts"
import { benchGrowth } from "./growth.ts"
import { benchHarness } from "./harness.ts"
import { benchItems } from "./items.ts"
import { benchLists } from "./lists.ts"
import { benchMigration } from "./migration.ts"
import { benchNeighbours } from "./neighbours.ts"
import { benchOrderLists } from "./orderLists.ts"
import { benchOrders } from "./orders.ts"
import { benchPreparing } from "./preparing.ts"
import { benchReads } from "./reads.ts"
import { benchRecommendations } from "./recommendations.ts"
import { benchRelays } from "./relays.ts"
import { benchScale } from "./scale.ts"
import { benchSegments } from "./segments.ts"
import { benchSending } from "./sending.ts"
import { benchShaping } from "./shaping.ts"
import { benchSignIn } from "./signIn.ts"
import { benchSmtp } from "./smtp.ts"
import { benchStarts } from "./starts.ts"
import { benchWebhooks } from "./webhooks.ts"
import { ensurePrograms } from "../support/programs.ts"

const given = process.argv.slice(2)
const isNumber = (text: string): boolean => /^\d+$/.test(text)
const number = given.find(isNumber)
const minutes = Number(number ?? 1)

const parts: Readonly<Record<string, () => Promise<void>>> = {
  api: benchApi,
  campaign: () => benchCampaign(Number(number ?? 10_000)),
  campaignPace: benchCampaignPace,
  contactWrites: benchContactWrites,
  contactsBatch: benchContactsBatch,
  dashboard: benchDashboard,
  demand: benchDemand,
  events: benchEvents,
  flows: benchFlows,
  growth: () => benchGrowth(Number(number ?? 200_000)),
  harness: benchHarness,
  items: benchItems,
  lists: () => benchLists(Number(number ?? 20_000)),
  load: () => benchFullLoad(minutes, false),
  loadShared: () => benchFullLoad(minutes, true),
  migration: () => benchMigration(Number(number ?? 100_000)),
  neighbours: benchNeighbours,
  orderLists: benchOrderLists,
  orders: benchOrders,
  preparing: benchPreparing,
  reads: benchReads,
  recommendations: benchRecommendations,
  relays: benchRelays,
  scale: benchScale,
  segments: benchSegments,
  sending: benchSending,
  shaping: benchShaping,
  signIn: benchSignIn,
  smtp: benchSmtp,
  starts: benchStarts,
  webhooks: benchWebhooks
}

const asked = given.filter((text) => !isNumber(text))
const unknown = asked.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}; the parts are ${Object.keys(parts).join(", ")}`)
  process.exit(1)
}
await ensurePrograms()
for (const [name, run] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  console.log(`\n== ${name}\n`)
  // Sequentially, because they would disturb each other.
  await run()
}
process.exit(0)
