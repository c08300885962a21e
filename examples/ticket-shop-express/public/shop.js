// The widget tells the page; what the page shows then, it asks its server for.
document.addEventListener('svc:enrolled', () => location.reload());
