// An app that starts when it is imported, such as that of the quick start.
console.log('The app is listening.')
