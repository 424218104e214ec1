/**
 * Reads and changes with the API in components: what was read is kept and shown while it is read again.
 *
 * @module
 */
import {
  hashKey,
  type InfiniteData,
  type QueryKey,
  QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient
} from "@tanstack/react-query"
import { useMemo } from "react"
import {
  call,
  callTagged,
  type InputOf,
  type QueryOf,
  type ReadRoute,
  type Route,
  type Tagged,
  type ValueOf
} from "./call.ts"
import { ApiError } from "./errors.ts"

/** How often a read is repeated that may succeed later. */
const retries = 2

/** How often a read is repeated that fails, in milliseconds. */
const againMillis = 10_000

/** How long what was read counts as current, in milliseconds. */
const currentMillis = 15_000

/** Makes the store of what was read. */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: currentMillis,
        retry: (count, error) => count < retries && error instanceof ApiError && error.isPassing,
        // What failed for a while is shown again as soon as it can be read.
        refetchInterval: ({ state: { error } }) => error instanceof ApiError && error.isPassing && againMillis
      },
      // What was sent and answered may hold a secret: it is dropped with what shows it. Without a network it fails at once: what
      // waited would be sent after its dialog was closed.
      mutations: { gcTime: 0, networkMode: "always" }
    }
  })

/** The key under which the value of a call is kept. */
export const keyOf = <R extends ReadRoute>(route: R, input?: InputOf<R>): QueryKey =>
  input === undefined ? [route] : [route, input]

/** How a route is read, for loaders of routes and for `useApi`. */
export const read = <R extends ReadRoute>(route: R, input: InputOf<R>) =>
  queryOptions<ValueOf<R>, ApiError>({
    queryKey: keyOf(route, input),
    queryFn: ({ signal }) => call(route, input, { signal })
  })

/** Reads a route. */
export const useApi = <R extends ReadRoute>(
  route: R,
  input: InputOf<R>,
  options: { readonly enabled?: boolean; readonly refetchInterval?: number } = {}
) => useQuery({ ...read(route, input), ...options })

/**
 * Reads a route with the tag of what it returned, for an editor: afresh whenever it is opened, since a change with an old
 * tag is refused, and not again by itself.
 */
export const useTagged = <R extends ReadRoute>(
  route: R,
  input: InputOf<R>,
  options: { readonly enabled?: boolean } = {}
) =>
  useQuery<Tagged<ValueOf<R>>, ApiError>({
    queryKey: [...keyOf(route, input), "tagged"],
    queryFn: ({ signal }) => callTagged(route, input, { signal }),
    gcTime: 0,
    staleTime: Infinity,
    ...options
  })

/**
 * Reads a route of which a screen shows something besides, such as the names of a filter: it is drawn without, and the frame
 * says what failed (`app/frame/FailedExtras`).
 */
export const useExtra = <R extends ReadRoute>(
  route: R,
  input: InputOf<R>,
  options: { readonly enabled?: boolean; readonly refetchInterval?: number } = {}
): ValueOf<R> | undefined => useQuery({ ...read(route, input), ...options, meta: { isExtra: true } }).data

/** A page of a list. */
interface PageOf<Item> {
  readonly items: ReadonlyArray<Item>
  readonly next: string | null
  readonly totalCount: number
  readonly totalIsExact: boolean
}

/** A route that returns a list in pages. */
export type ListRoute = {
  [R in ReadRoute]: ValueOf<R> extends PageOf<unknown> ? R : never
}[ReadRoute]

/** The items of a list. */
export type ItemOf<R extends ListRoute> = ValueOf<R>["items"][number]

/** A list that reads its next page when it is asked to. */
export interface List<Item> {
  readonly items: ReadonlyArray<Item>
  /** Null until the first page has been read. */
  readonly total: { readonly count: number; readonly isExact: boolean } | null
  readonly isLoading: boolean
  /** Whether what is shown was read with other filters, until these have been read. */
  readonly isOfOtherFilters?: boolean
  readonly error: ApiError | null
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly reload: () => void
}

/** Whether a list was read to its end: what is not among its entries is not there. */
export const isAllRead = ({ error, hasMore, isLoading, isOfOtherFilters }: List<unknown>): boolean =>
  error === null && !hasMore && !isLoading && isOfOtherFilters !== true

const pageSize = 50

/** Whether what was read is of the same account, person or thing. */
const isSame = (key: QueryKey | undefined, params: unknown): boolean =>
  hashKey([(key?.[1] as { readonly params?: unknown } | undefined)?.params]) === hashKey([params])

/** Reads a list page by page. What is shown stays while other filters are read. */
export const useList = <R extends ListRoute>(
  route: R,
  input: { readonly params: InputOf<R>["params"]; readonly query?: QueryOf<R> },
  options: { readonly enabled?: boolean; readonly refetchInterval?: number } = {}
): List<ItemOf<R>> => {
  const query = useInfiniteQuery<
    PageOf<ItemOf<R>>,
    ApiError,
    InfiniteData<PageOf<ItemOf<R>>>,
    QueryKey,
    string | null
  >({
    queryKey: [route, input, "pages"],
    initialPageParam: null,
    queryFn: async ({ pageParam, signal }) => {
      const paged = { limit: pageSize, ...input.query, ...(pageParam === null ? {} : { after: pageParam }) }
      return (await call(route, { ...input, query: paged } as unknown as InputOf<R>, {
        signal
      })) as PageOf<ItemOf<R>>
    },
    getNextPageParam: ({ next }) => next,
    // Entries of another person or thing would be wrong, even for a moment.
    placeholderData: (before, of) => (isSame(of?.queryKey, input.params) ? before : undefined),
    ...options
  })
  const {
    data,
    error,
    fetchNextPage,
    hasNextPage,
    isFetchingNextPage,
    isPending,
    isPlaceholderData,
    refetch
  } = query
  const items = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data])
  const first = data?.pages[0]
  return {
    items,
    total: first === undefined ? null : { count: first.totalCount, isExact: first.totalIsExact },
    isLoading: isPending,
    isOfOtherFilters: isPlaceholderData,
    error,
    hasMore: hasNextPage,
    loadMore: () => {
      if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    reload: () => void refetch()
  }
}

/**
 * Changes something by a route. Afterwards the routes of `renews` are read again where they are shown; a failure is the
 * mutation's `error`.
 */
export const useChange = <R extends Route>(
  route: R,
  { ifMatch, renews = [] }: { readonly renews?: ReadonlyArray<ReadRoute>; readonly ifMatch?: string } = {}
) => {
  const client = useQueryClient()
  return useMutation<ValueOf<R>, ApiError, InputOf<R>>({
    mutationFn: (input) => call(route, input, { ifMatch }),
    onSuccess: () => Promise.all(renews.map((one) => client.invalidateQueries({ queryKey: [one] })))
  })
}
