/* The id of the pinned result, with which other results are compared. It stands in the address (pin=...), so that a
   link has it, and in the tab's session storage, so that the next result's page has it too. pinFound(query, setQuery)
   returns it, or null; pinSet(id, setQuery) sets it, and removes it if it is null. */
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
