/**
 * A link to a person, from a list that only has the person's id.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { read } from "../../api/queries.ts"
import { useAccount } from "../../app/session.ts"
import { Skeleton } from "../../parts/page/Empty.tsx"
import { nameOf } from "./consent.ts"

/** The link, with the person's name. It shows the id if the role may not read the name, or if the person no longer exists. */
export const PersonLink = ({ contactId }: { readonly contactId: string }) => {
  const { can, id: accountId } = useAccount()
  const mayRead = can("contacts:read")
  const { data, isLoading } = useQuery({
    ...read("GET /accounts/:accountId/contacts/:id", { params: { accountId, id: contactId } }),
    enabled: mayRead,
    meta: { isExtra: true }
  })
  if (isLoading) return <Skeleton width="8rem" />
  if (data === undefined) return <code>{contactId}</code>
  return (
    <Link to="/a/$accountId/people/contacts/$contactId" params={{ accountId, contactId }}>
      <bdi>{nameOf(data)}</bdi>
    </Link>
  )
}
