/**
 * Hooks that read and change data through the API. What was read is cached and stays visible while it is read again.
 *
 * @module
 */
import {
  hashKey,
  type InfiniteData,
  infiniteQueryOptions,
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

/** How many times a read is retried after an error that may be temporary. */
const retries = 2

/** How often a failed read is repeated, in milliseconds. */
const againMillis = 10_000

/** How long cached data counts as current, in milliseconds. */
const currentMillis = 15_000

/** Makes the cache of what was read. */
export const makeQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: currentMillis,
        retry: (count, error) => count < retries && error instanceof ApiError && error.isPassing,
        // A read that keeps failing is repeated, so that its data appear as soon as they are available again.
        refetchInterval: ({ state: { error } }) => error instanceof ApiError && error.isPassing && againMillis
      },
      // The input and result of a mutation may hold a secret, so they are dropped with the component that shows them. Without a
      // network a mutation fails at once; a queued one would be sent after the user has closed its dialog.
      mutations: { gcTime: 0, networkMode: "always" }
    }
  })

/** The cache key of a call. */
export const keyOf = <R extends ReadRoute>(route: R, input?: InputOf<R>): QueryKey =>
  input === undefined ? [route] : [route, input]

/** The query options of a route, for route loaders and for `useApi`. */
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
 * Reads a route together with its ETag, for an editor. The value is read afresh whenever the editor opens, because a change with
 * an old ETag is rejected, and it is not refetched while the editor is open.
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
 * Reads data that a screen shows in addition to its own content, such as the names of a filter. The screen is drawn without them
 * if the read fails, and the frame reports the error (`app/frame/FailedExtras`).
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

/** An item of a list. */
export type ItemOf<R extends ListRoute> = ValueOf<R>["items"][number]

/** A list that reads its next page on demand. */
export interface List<Item> {
  readonly items: ReadonlyArray<Item>
  /** Null until the first page has been read. */
  readonly total: { readonly count: number; readonly isExact: boolean } | null
  readonly isLoading: boolean
  /** Whether the items were read with the previous filters, because those for the new ones are still loading. */
  readonly isOfOtherFilters?: boolean
  readonly error: ApiError | null
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly reload: () => void
}

/** Whether a list was read to its end, so that an item that is not among its entries does not exist. */
export const isAllRead = ({ error, hasMore, isLoading, isOfOtherFilters }: List<unknown>): boolean =>
  error === null && !hasMore && !isLoading && isOfOtherFilters !== true

const pageSize = 50

/** Whether a cached result belongs to the same account, person or thing. */
const isSame = (key: QueryKey | undefined, params: unknown): boolean =>
  hashKey([(key?.[1] as { readonly params?: unknown } | undefined)?.params]) === hashKey([params])

/** The parameters and the filters of a list. */
interface ListInput<R extends ListRoute> {
  readonly params: InputOf<R>["params"]
  readonly query?: QueryOf<R>
}

/** The query for the pages of a list, for `readAhead` and for `useList`. */
export const pages = <R extends ListRoute>(route: R, { params, query = {} as QueryOf<R> }: ListInput<R>) =>
  infiniteQueryOptions<PageOf<ItemOf<R>>, ApiError, InfiniteData<PageOf<ItemOf<R>>>, QueryKey, string | null>(
    {
      queryKey: [route, { params, query }, "pages"],
      initialPageParam: null,
      queryFn: async ({ pageParam, signal }) => {
        const paged = { limit: pageSize, ...query, ...(pageParam === null ? {} : { after: pageParam }) }
        return (await call(route, { params, query: paged } as unknown as InputOf<R>, {
          signal
        })) as PageOf<ItemOf<R>>
      },
      getNextPageParam: ({ next }) => next
    }
  )

/** Reads a list page by page. The items stay visible while others are read for changed filters. */
export const useList = <R extends ListRoute>(
  route: R,
  input: ListInput<R>,
  options: { readonly enabled?: boolean; readonly refetchInterval?: number } = {}
): List<ItemOf<R>> => {
  const query = useInfiniteQuery({
    ...pages(route, input),
    // Items of another person or thing must not be shown, even briefly.
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
 * Changes something through a route. Afterwards the visible results of the routes in `renews` are read again. A failure is the
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
