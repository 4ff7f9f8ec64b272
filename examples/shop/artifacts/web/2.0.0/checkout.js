/** Pays for the order. */
document.querySelector('#pay')?.addEventListener('click', async () => {
  const { api } = await (await fetch('config.json')).json();
  await fetch(`${api}/payments`, { method: 'POST' });
});
