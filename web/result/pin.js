/* Which result is pinned, for others to be compared to it. Its id stands in the address (pin=...), so that it can be
   shared, and in the tab's session storage, so that the next result has it too. pinFound(query, setQuery) is the id or
   null; pinSet(id, setQuery), null removes it. */
const KEY = "pin", ID = /^[0-9A-Z]{26}$/;

export function pinSet(id, setQuery) {
  if (id)
    sessionStorage.setItem(KEY, id);
  else
    sessionStorage.removeItem(KEY);
  setQuery({[KEY]: id});
}

export function pinFound(query, setQuery) {
  const id = query.get(KEY) ?? sessionStorage.getItem(KEY);
  if (!id || !ID.test(id)) return null;
  pinSet(id, setQuery);
  return id;
}
