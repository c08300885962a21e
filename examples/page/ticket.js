// The token is the fragment of the address: browsers do not send it, and it must not stay in the history.
const token = location.hash.slice(1);
history.replaceState(null, '', location.pathname);
if (token.startsWith('svce_')) document.querySelector('#check-in').dataset.svcToken = token;

const said = {
  'svc:ready': '',
  'svc:enrolled': 'See you at the door. Bring your ticket, too.',
  'svc:declined': 'See you at the standard entrance.',
  'svc:error': 'Please use the standard entrance, or ask us for another link.',
};
for (const [event, text] of Object.entries(said))
  document.addEventListener(event, () => {
    document.querySelector('#status').textContent = text;
  });
