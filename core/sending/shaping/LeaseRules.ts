/**
 * Divides the limit of a lane between the processes that use it: pure functions over `SharedLane`.
 *
 * A lease counts until its end, and its holder uses it for a while less: however far apart clocks are within that, the
 * connections of all processes together never exceed the limit.
 *
 * @module
 */
import {
  currentlyStated,
  type Feedback,
  type LaneBounds,
  type LaneLease,
  type LaneState,
  learned,
  type SharedLane,
  widthAt
} from "../../model/Lane.ts"

/** The length of a lease, milliseconds; of one in a calm lane, where no process gets less than it asks for. */
export const leaseMillis = 15_000
export const calmLeaseMillis = 20_000
/** How long before its end a lease is no longer used, milliseconds: the clocks of processes may differ by five seconds. */
export const unusedMillis = 6_000
/** How often leases are renewed, milliseconds; in a calm lane every ten seconds. */
export const renewMillis = 5_000
/** How long before its end a lease is renewed, milliseconds. */
export const renewBefore = leaseMillis - renewMillis

/** Feedback that came at a time, epoch milliseconds, so often in a row. */
export interface Received {
  readonly feedback: Feedback
  readonly at: number
  readonly count: number
}

/** What a process asks for in a lane. */
export interface LeaseRequest {
  readonly node: string
  readonly bounds: LaneBounds
  /** How many places it can use. */
  readonly wanted: number
  /** How many connections it has open. */
  readonly open: number
  /** Whether it has nothing to send, and only keeps what no other process asks for. */
  readonly isIdle?: boolean
  /** What it learned since it last asked. */
  readonly received: ReadonlyArray<Received>
}

/** A lane after feedback. */
export const learnedFrom = <State extends LaneState>(
  lane: State,
  received: ReadonlyArray<Received>,
  bounds: LaneBounds
): State => {
  let state = lane
  for (const { at, count, feedback } of received)
    for (let index = 0; index < count; index++) state = learned(state, feedback, bounds, at)
  return state
}

/** The fair part of each process: as much as it wants, where there is not enough an equal part; what is left rotates. */
export const fairPlaces = (
  requests: ReadonlyArray<Pick<LaneLease, "node" | "wanted">>,
  width: number,
  now: number
): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  let left = width
  const byNeed = requests.toSorted((a, b) => a.wanted - b.wanted)
  for (const [index, { node, wanted }] of byNeed.entries()) {
    const others = byNeed.length - index
    if (wanted * others <= left) {
      places.set(node, wanted)
      left -= wanted
      continue
    }
    // Whoever wants more gets the same.
    const equal = Math.floor(left / others)
    for (const one of byNeed.slice(index)) places.set(one.node, equal)
    left -= equal * others
    break
  }
  const short = requests
    .filter(({ node, wanted }) => places.get(node)! < wanted)
    .map(({ node }) => node)
    .toSorted()
  const turn = short.length === 0 ? 0 : Math.floor(now / leaseMillis) % short.length
  for (let index = 0; index < Math.min(left, short.length); index++) {
    const node = short[(turn + index) % short.length]!
    places.set(node, places.get(node)! + 1)
  }
  return places
}

/** What a lane is after a process asked for places: its state with what the process learned, and the process's lease. */
export const renewed = (
  lane: SharedLane,
  { bounds, isIdle = false, node, open, received, wanted }: LeaseRequest,
  now: number
): SharedLane => {
  const current = lane.leases.filter(({ expiresAt }) => expiresAt > now)
  const others = current.filter((lease) => lease.node !== node)
  const own = current.find((lease) => lease.node === node)
  const after = learnedFrom(lane, received, bounds)
  const state = { ...after, stated: currentlyStated(after.stated, now) }
  const width = widthAt(state, bounds, now)
  const isCalm = others.reduce((sum, lease) => sum + lease.wanted, wanted) <= width
  if (open === 0 && (wanted === 0 || (isIdle && !isCalm))) return { ...state, leases: others, changedAt: now }
  const free = Math.max(0, width - others.reduce((sum, { places }) => sum + places, 0))
  const fair = fairPlaces([...others, { node, wanted }], width, now).get(node)!
  // Connections that are open hold their places until they are closed.
  const kept = Math.min(open, own?.places ?? 0)
  const places = Math.max(Math.min(wanted, fair, free), kept)
  return {
    ...state,
    leases: [...others, { node, places, wanted, expiresAt: now + (isCalm ? calmLeaseMillis : leaseMillis) }],
    changedAt: now
  }
}

/** How many connections a process may open or keep in a lane: less than its lease where others wait for a part of it. */
export const placesOf = (lane: SharedLane, node: string, bounds: LaneBounds, now: number): number => {
  const own = lane.leases.find((lease) => lease.node === node)
  if (own === undefined) return 0
  const current = lane.leases.filter(({ expiresAt }) => expiresAt > now)
  return Math.min(own.places, fairPlaces(current, widthAt(lane, bounds, now), now).get(node) ?? 0)
}
