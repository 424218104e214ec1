/**
 * The stores of the account, for filters and names.
 *
 * @module
 */
import { useExtra } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"

/** The most stores that an account can have. */
const maxStores = 100

/** The filter by store, if the account has stores, and a function that names a store. */
export const useStores = (label: string) => {
  const { can, id: accountId } = useAccount()
  const stores =
    useExtra(
      "GET /accounts/:accountId/stores",
      { params: { accountId }, query: { limit: maxStores } },
      { enabled: can("orders:read") }
    )?.items ?? []
  return {
    nameOf: (storeId: string) => stores.find(({ id }) => id === storeId)?.name ?? storeId,
    filters:
      stores.length === 0
        ? []
        : [{ key: "storeId", label, options: stores.map(({ id, name }) => ({ value: id, label: name })) }]
  }
}
